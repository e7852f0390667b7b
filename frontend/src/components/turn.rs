//! The start of the page in several tasks, so that the browser can take input between them, behind what the server has drawn.

use crate::browser;
use leptos::{prelude::*, task::spawn_local};
use std::cell::Cell;

#[derive(Clone, Copy, Default)]
struct Start {
    /// Parts that have yet to be drawn.
    waiting: u32,
    /// `true` once the page has all that it shows first.
    is_ready: bool,
    is_over: bool,
}

thread_local! {
    static START: Cell<Start> = const { Cell::new(Start { waiting: 0, is_ready: false, is_over: false }) };
}

fn change(act: impl FnOnce(&mut Start)) {
    START.with(|start| {
        let mut now = start.get();
        act(&mut now);
        if now.is_ready && now.waiting == 0 && !now.is_over {
            now.is_over = true;
            browser::uncover();
        }
        start.set(now);
    });
}

/// The page has all that it shows first: once that is drawn, it replaces what the server has drawn.
pub fn ready() {
    change(|start| start.is_ready = true);
}

/// Children that are drawn in a task of their own while the page starts, and at once afterwards.
#[component]
pub fn InTurn(children: Children) -> impl IntoView {
    let is_over = START.with(|start| start.get().is_over);
    let drawn = RwSignal::new(is_over);
    if !is_over {
        change(|start| start.waiting += 1);
        spawn_local(async move {
            browser::breathe().await;
            // The component may be gone by now.
            let _ = drawn.try_set(true);
            browser::breathe().await;
            change(|start| start.waiting -= 1);
        });
    }
    let mut children = Some(children);
    move || drawn.get().then(|| children.take().map(|children| children()))
}
