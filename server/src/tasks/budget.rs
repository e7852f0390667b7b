//! Budgets of bytes, and the claims of clients on them.
//!
//! A client may claim up to half of what others leave, so that one more client always finds some.

use super::{Context, Owner, REQUEST_PATIENCE, TaskRefusal};
use crate::lock;
use shared::cancel::{self, Token};
use std::{
    collections::HashMap,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Time between two looks at the cancellation of a waiting claim.
const CLAIM_STEP: Duration = Duration::from_millis(100);

/// Bytes that clients share.
pub struct Budget {
    /// Words for what the bytes are.
    what: &'static str,
    /// Flag that sets the limit.
    flag: &'static str,
    max: u64,
    /// Bytes beside the limit, for short work.
    reserve: u64,
    /// `true` if the only work of a client may take all that others leave.
    is_undivided: bool,
    used: Mutex<Usage>,
    freed: Condvar,
}

#[derive(Default)]
struct Usage {
    /// All claims.
    all: Sum,
    /// Bytes of each client that has claimed any.
    of: HashMap<Owner, Sum>,
    /// Bytes of each work that has claimed any, by the address of its token.
    work: HashMap<usize, u64>,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    bytes: u64,
    /// Part of the bytes that counts in the reserve.
    reserved: u64,
}

impl Usage {
    fn own(&self, owner: &Owner) -> Sum {
        self.of.get(owner).copied().unwrap_or_default()
    }

    fn work(&self, token: &Token) -> u64 {
        self.work.get(&address(token)).copied().unwrap_or(0)
    }

    fn add(&mut self, claim: &Claim, bytes: u64) {
        let own = self.of.entry(claim.owner.clone()).or_default();
        for sum in [&mut self.all, own] {
            sum.bytes += bytes;
            sum.reserved += if claim.is_reserved { bytes } else { 0 };
        }
        *self.work.entry(address(&claim.token)).or_default() += bytes;
    }

    fn subtract(&mut self, claim: &Claim, bytes: u64) {
        for sum in [Some(&mut self.all), self.of.get_mut(&claim.owner)].into_iter().flatten() {
            sum.bytes -= bytes;
            sum.reserved -= if claim.is_reserved { bytes } else { 0 };
        }
        if self.own(&claim.owner).bytes == 0 {
            self.of.remove(&claim.owner);
        }
        let work = address(&claim.token);
        if let Some(own) = self.work.get_mut(&work) {
            *own -= bytes;
            if *own == 0 {
                self.work.remove(&work);
            }
        }
    }
}

/// Address of a token, which is unique while a claim holds the token.
fn address(token: &Token) -> usize {
    std::ptr::from_ref(token.flag()).addr()
}

/// Claimed bytes, free again when dropped.
pub struct Claim {
    budget: Arc<Budget>,
    owner: Owner,
    /// Cancels the work that made the claim.
    token: Token,
    bytes: u64,
    /// `true` if it counts in the reserve.
    is_reserved: bool,
}

impl Claim {
    /// Claims more bytes. Waits while others use them.
    ///
    /// # Errors
    /// More than the limit, or others keep the bytes for too long.
    pub fn grow(&mut self, bytes: u64) -> Result<(), TaskRefusal> {
        self.grow_within(bytes, REQUEST_PATIENCE)
    }

    /// Claims more bytes. Does not wait.
    ///
    /// # Errors
    /// The client, or all clients together, have too many.
    pub fn grow_now(&mut self, bytes: u64) -> Result<(), TaskRefusal> {
        self.grow_within(bytes, Duration::ZERO)
    }

    /// Gives back all but this many bytes.
    pub fn shrink(&mut self, bytes: u64) {
        if bytes < self.bytes {
            lock(&self.budget.used).subtract(self, self.bytes - bytes);
            self.bytes = bytes;
            self.budget.freed.notify_all();
        }
    }

    /// Number of claimed bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Waits up to `patience`, or until the task is cancelled, while others use the bytes.
    fn grow_within(&mut self, bytes: u64, patience: Duration) -> Result<(), TaskRefusal> {
        self.budget.check(self.bytes + bytes)?;
        let began = Instant::now();
        loop {
            {
                let mut used = lock(&self.budget.used);
                if self.budget.fits(&used, self, bytes) {
                    used.add(self, bytes);
                    break;
                }
                if began.elapsed() >= patience {
                    return Err(self.budget.busy(&used, &self.owner, bytes));
                }
                let waited = self.budget.freed.wait_timeout(used, CLAIM_STEP);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
            }
            // Without the lock: it may wait.
            cancel::check();
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Claims bytes of the reserve; `false` if the client has its share of it.
    fn take_reserved(&mut self, bytes: u64) -> bool {
        let mut used = lock(&self.budget.used);
        let own = used.own(&self.owner).reserved;
        let fits = own + bytes <= self.budget.reserve.saturating_sub(used.all.reserved - own) / 2;
        if fits {
            self.is_reserved = true;
            used.add(self, bytes);
            self.bytes = bytes;
        }
        fits
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

impl std::fmt::Debug for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.bytes)
    }
}

/// Claims memory for a value of the running task. Short work takes it from the reserve; an ordinary task that needs more goes on
/// as long work. Long work waits while others use the memory. Outside tasks, as on the command line, there is no limit and no
/// claim.
///
/// # Errors
/// More than the limit, or others keep the memory for too long.
pub fn claim(bytes: u64) -> Result<Option<Claim>, TaskRefusal> {
    let Some(Context { memory, token, owner, patience, turn }) = Context::current() else { return Ok(None) };
    memory.check(bytes)?;
    let mut claim = memory.empty_claim(owner);
    claim.token = token;
    if let Some(turn) = turn.filter(|turn| turn.is_short()) {
        if claim.take_reserved(bytes) {
            return Ok(Some(claim));
        }
        turn.lengthen();
        cancel::check();
    }
    claim.grow_within(bytes, patience)?;
    Ok(Some(claim))
}

/// [`claim`] for a value that outlives the task. It never counts in the reserve.
///
/// # Errors
/// More than the limit, or others keep the memory for too long.
pub fn claim_to_keep(bytes: u64) -> Result<Option<Claim>, TaskRefusal> {
    let Some(Context { memory, token, owner, patience, turn }) = Context::current() else { return Ok(None) };
    let mut claim = memory.empty_claim(owner);
    claim.token = token;
    if let Some(turn) = turn.filter(|turn| turn.is_short()) {
        if claim.grow_now(bytes).is_ok() {
            return Ok(Some(claim));
        }
        turn.lengthen();
        cancel::check();
    }
    claim.grow_within(bytes, patience)?;
    Ok(Some(claim))
}

impl Budget {
    /// A budget of which a client may have up to half of what others leave.
    pub(super) fn new(what: &'static str, flag: &'static str, max: u64) -> Arc<Budget> {
        Arc::new(Budget::of(what, flag, max))
    }

    /// A budget in which the only work of a client may take all that others leave, with a reserve of an eighth for short work.
    pub(super) fn undivided(what: &'static str, flag: &'static str, max: u64) -> Arc<Budget> {
        Arc::new(Budget { reserve: max / 8, is_undivided: true, ..Budget::of(what, flag, max) })
    }

    fn of(what: &'static str, flag: &'static str, max: u64) -> Budget {
        let (used, freed) = (Mutex::default(), Condvar::new());
        Budget { what, flag, max, reserve: 0, is_undivided: false, used, freed }
    }

    /// A client's claim of nothing, to grow.
    pub fn empty_claim(self: &Arc<Self>, owner: Owner) -> Claim {
        Claim { budget: self.clone(), owner, token: Token::default(), bytes: 0, is_reserved: false }
    }

    /// Limit in bytes.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Claimed bytes.
    pub fn used(&self) -> u64 {
        lock(&self.used).all.bytes
    }

    /// Bytes claimed by the work that this token cancels.
    pub fn used_by(&self, token: &Token) -> u64 {
        lock(&self.used).work(token)
    }

    /// Max bytes of one claim.
    pub fn max_claim(&self) -> u64 {
        if self.is_undivided { self.max } else { self.max / 2 }
    }

    /// Checks that a claim can ever fit.
    fn check(&self, needs: u64) -> Result<(), TaskRefusal> {
        let (what, flag, max) = (self.what, self.flag, self.max_claim());
        if needs > max { Err(TaskRefusal::TooLarge { what, flag, needs, max }) } else { Ok(()) }
    }

    /// `true` if a claim may grow by these bytes now.
    fn fits(&self, used: &Usage, claim: &Claim, bytes: u64) -> bool {
        let (all, own) = (used.all.bytes, used.own(&claim.owner).bytes);
        let has_share = own + bytes <= self.max.saturating_sub(all - own) / 2;
        let is_only_work = self.is_undivided && own == used.work(&claim.token);
        all + bytes <= self.max && (has_share || is_only_work)
    }

    fn busy(&self, used: &Usage, owner: &Owner, needs: u64) -> TaskRefusal {
        let (used, own) = (used.all.bytes, used.own(owner).bytes);
        TaskRefusal::Busy { what: self.what, needs, used, own, max: self.max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{TaskError, within};

    fn owner(name: &str) -> Owner {
        Owner(name.into())
    }

    /// Runs work of a client under a token.
    fn run<T>(
        memory: &Arc<Budget>,
        name: &str,
        token: &Token,
        work: impl FnOnce() -> T,
    ) -> Result<T, TaskError> {
        within(memory, token, &owner(name), Duration::ZERO, work)
    }

    #[test]
    fn memory_is_claimed_refused_and_free_again() {
        let memory = Budget::undivided("memory", "--memory", 100);
        let token = Token::default();
        let claimed = run(&memory, "a", &token, || claim(60)).unwrap().unwrap();
        let refused = run(&memory, "a", &token, || claim(101)).unwrap().unwrap_err();
        assert!(matches!(refused, TaskRefusal::TooLarge { needs: 101, max: 100, .. }));
        token.cancel();
        let waits = within(&memory, &token, &owner("a"), Duration::from_secs(60), || claim(50));
        assert!(matches!(waits, Err(TaskError::Cancelled)));
        drop(claimed);
        assert_eq!(memory.used(), 0);
        assert!(run(&memory, "a", &Token::default(), || claim(100)).unwrap().unwrap().is_some());
        assert!(claim(1000).unwrap().is_none(), "no limit outside tasks");
    }

    #[test]
    fn one_work_may_take_what_others_leave_and_further_work_has_a_share() {
        let memory = Budget::undivided("memory", "--memory", 100);
        let claims = |name: &str, token: &Token, bytes| run(&memory, name, token, || claim(bytes)).unwrap();
        let (first, second, third) = (Token::default(), Token::default(), Token::default());
        let whole = claims("a", &first, 90).unwrap();
        assert!(claims("b", &second, 20).is_err());
        drop(whole);
        let half = claims("a", &first, 50).unwrap();
        let refused = claims("a", &second, 1).unwrap_err();
        assert!(
            matches!(refused, TaskRefusal::Busy { needs: 1, used: 50, own: 50, max: 100, .. }),
            "{refused}"
        );
        assert!(claims("a", &first, 10).is_ok(), "the same work may grow");
        let others = claims("b", &third, 40).unwrap();
        assert_eq!(memory.used(), 90);
        drop((half, others));
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn a_claim_shrinks_to_what_is_kept() {
        let memory = Budget::undivided("memory", "--memory", 100);
        let mut kept = run(&memory, "a", &Token::default(), || claim(80)).unwrap().unwrap().unwrap();
        kept.shrink(90);
        assert_eq!((kept.bytes(), memory.used()), (80, 80));
        kept.shrink(5);
        assert_eq!((kept.bytes(), memory.used()), (5, 5));
        drop(kept);
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn a_client_has_half_of_what_others_leave() {
        let disk = Budget::new("temporary files", "--temporary", 100);
        let mut claims: Vec<Claim> = ["a", "b", "c"].map(|name| disk.empty_claim(owner(name))).into();
        for (claim, most) in claims.iter_mut().zip([50, 25, 12]) {
            assert!(claim.grow_now(most + 1).is_err());
            claim.grow_now(most).unwrap();
        }
        let mut again = disk.empty_claim(owner("a"));
        assert!(matches!(again.grow_now(1), Err(TaskRefusal::Busy { own: 50, .. })));
        assert!(matches!(again.grow_now(51), Err(TaskRefusal::TooLarge { needs: 51, max: 50, .. })));
    }
}
