"""The pygls seam."""
