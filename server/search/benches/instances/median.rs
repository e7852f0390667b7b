//! Figures of several runs.

/// Median of some values.
pub fn median(values: &[f64]) -> f64 {
    let mut ascending = values.to_vec();
    ascending.sort_by(f64::total_cmp);
    let middle = ascending.len() / 2;
    if ascending.len() % 2 == 1 {
        ascending[middle]
    } else {
        (ascending[middle - 1] + ascending[middle]) / 2.0
    }
}
