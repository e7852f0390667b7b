//! What only the server can advise, since it takes the engine's closed forms.

use search::closed::with_more;
use shared::{demand::Demand, spec::Spec};

/// A construction that serves every pair with more switches than the spec's NIs ask for, if a model has no count, with the
/// count that it takes; in a sentence.
pub fn remedy(spec: &Spec, demand: &Demand) -> Option<String> {
    with_more(spec, demand, &mut || true).map(|more| more.words())
}
