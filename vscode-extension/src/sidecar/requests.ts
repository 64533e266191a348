/** Typed requests: a method of the generated table, its params, its result, and errors by kind. */
import { randomUUID } from "node:crypto";
import type { Requests } from "../protocol.gen";
import { DaemonGone } from "./daemon";

export type Method = keyof Requests;

/** What the daemon refused, by the kind that the protocol names. */
export class Refused extends Error {
  constructor(
    readonly kind: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}

export interface Asker {
  request(method: string, params: unknown): Promise<unknown>;
}

/** Asks; rejects with `Refused` or `DaemonGone` and nothing else. */
export async function ask<M extends Method>(
  daemon: Asker,
  method: M,
  params: Requests[M]["params"],
): Promise<Requests[M]["result"]> {
  try {
    // The daemon validates what it sends against the very models that these types are generated from.
    return (await daemon.request(method, params)) as Requests[M]["result"];
  } catch (error) {
    throw error instanceof DaemonGone ? error : refused(error);
  }
}

/** A key for one wish of a person: the same wish, sent again, is not carried out twice. */
export function newKey(): string {
  return randomUUID();
}

function refused(error: unknown): Refused {
  const message = error instanceof Error ? error.message : String(error);
  const data = isRecord(error) && isRecord(error["data"]) ? error["data"] : {};
  const kind = typeof data["kind"] === "string" ? data["kind"] : "internal";
  return new Refused(kind, message, isRecord(data["details"]) ? data["details"] : data);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
