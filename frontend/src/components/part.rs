//! Parts of the studio that the browser loads after its first module.

use leptos::{prelude::*, task::spawn_local, wasm_split::SplitLoaderError};
use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

/// Puts functions into WebAssembly modules that load when they are needed. The bundler splits them off.
///
/// ```ignore
/// parts! {
///     files {
///         labels() -> AnyView { view! { <Labels/> }.into_any() }
///     }
/// }
/// ```
///
/// Each function returns a [`PartCall`], which must be in scope: `<Part of=labels/>` draws a view, `Studio::act` runs an action. Code that only one module
/// reaches moves there by itself. Code that several modules share, but not the first one, becomes a module that loads with them.
macro_rules! parts {
    ($($module:ident { $($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) -> $out:ty { $($body:tt)* })* })*) => {
        $($(
            $(#[$doc])*
            pub fn $name($($arg: $type),*) -> PartCall<$out> {
                #[::leptos::wasm_split::wasm_split(
                    $module,
                    wasm_split_path = ::leptos::wasm_split,
                    preload(load),
                    fallible
                )]
                fn $name($($arg: $type),*) -> Result<$out, ::leptos::wasm_split::SplitLoaderError> {
                    Ok({ $($body)* })
                }
                PartCall::new(load(), $name($($arg),*))
            }
        )*)*
    };
}
pub(crate) use parts;

type LoadFuture<T> = Pin<Box<dyn Future<Output = Result<T, SplitLoaderError>>>>;

/// A call of a function in a part.
pub struct PartCall<T> {
    load: LoadFuture<()>,
    call: LoadFuture<T>,
}

impl<T> PartCall<T> {
    /// Creates it from what loads the part, and what calls the function. Neither has begun.
    pub fn new(
        load: impl Future<Output = Result<(), SplitLoaderError>> + 'static,
        call: impl Future<Output = Result<T, SplitLoaderError>> + 'static,
    ) -> PartCall<T> {
        PartCall { load: Box::pin(load), call: Box::pin(call) }
    }

    /// Loads the part.
    ///
    /// # Errors
    /// If it cannot be fetched. The next call tries again.
    pub async fn load(self) -> Result<(), SplitLoaderError> {
        self.load.await
    }

    /// Loads the part, and calls the function.
    ///
    /// # Errors
    /// If the part cannot be fetched.
    pub async fn call(self) -> Result<T, SplitLoaderError> {
        self.call.await
    }

    /// `true` if the part has loaded. If not, loading begins.
    pub fn is_loaded(&mut self) -> bool {
        poll_once(&mut self.load).is_some()
    }

    /// Calls the function, unless the part has yet to load.
    pub fn now(mut self) -> Option<T> {
        if self.is_loaded() { poll_once(&mut self.call) } else { None }
    }
}

fn poll_once<T>(loading: &mut LoadFuture<T>) -> Option<T> {
    match loading.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.ok(),
        Poll::Pending => None,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Loading,
    Loaded,
    Failed,
}

/// A view in a part. Until the part has loaded, a line says so; if it cannot load, a button tries again.
#[component]
pub fn Part(of: fn() -> PartCall<AnyView>) -> impl IntoView {
    let stage = RwSignal::new(if of().is_loaded() { Stage::Loaded } else { Stage::Loading });
    let load = move || {
        stage.set(Stage::Loading);
        spawn_local(async move {
            let loaded = of().load().await.is_ok();
            // The component may be gone by now.
            let _ = stage.try_set(if loaded { Stage::Loaded } else { Stage::Failed });
        });
    };
    if stage.get_untracked() == Stage::Loading {
        load();
    }
    move || match stage.get() {
        Stage::Loaded => of().now().into_any(),
        Stage::Loading => view! { <p class="empty" role="status">"Loading …"</p> }.into_any(),
        Stage::Failed => view! {
            <div class="empty" role="alert">
                <p>"This part of the studio cannot be loaded. If Retry does not help, reload the page."</p>
                <button type="button" on:click=move |_| load()>"Retry"</button>
            </div>
        }
        .into_any(),
    }
}
