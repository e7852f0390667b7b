//! Which path each pair takes, one scheme a file.
