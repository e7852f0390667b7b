//! Migrations of the store, in order; `user_version` is the number of those applied.

use super::StoreError;
use rusqlite::Connection;

/// New steps are added at the end only.
const STEPS: &[&str] = &[
    include_str!("migrations/1_designs_and_runs.sql"),
    include_str!("migrations/2_boards.sql"),
    include_str!("migrations/3_checkpoints.sql"),
    include_str!("migrations/4_board_checkpoints.sql"),
    include_str!("migrations/5_runs_begin_again.sql"),
    include_str!("migrations/6_owners.sql"),
    include_str!("migrations/7_ends.sql"),
    include_str!("migrations/8_edit_tokens.sql"),
    include_str!("migrations/9_cabling.sql"),
    include_str!("migrations/10_library.sql"),
    include_str!("migrations/11_replays.sql"),
    include_str!("migrations/12_quotas.sql"),
    include_str!("migrations/13_clock.sql"),
    include_str!("migrations/14_weights.sql"),
];

/// Applies the missing steps, each in a transaction.
pub fn apply(connection: &mut Connection) -> Result<(), StoreError> {
    let taken: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = STEPS.len() as i64;
    if taken > known {
        return Err(StoreError::TooNew { found: taken, known });
    }
    for (step, number) in STEPS.iter().zip(1..).skip(usize::try_from(taken).unwrap_or(0)) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_time_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply(&mut connection).unwrap();
        apply(&mut connection).unwrap();
    }

    #[test]
    fn a_later_version_is_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        assert!(matches!(apply(&mut connection), Err(StoreError::TooNew { found: 99, .. })));
    }
}
