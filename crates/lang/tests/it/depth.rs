//! Deep nesting of everything that nests: refused with a message, on a small stack.
