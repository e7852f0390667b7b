//! The library of this browser and the workspaces that colleagues share: lists of designs and runs with notes.

use crate::{
    api, browser,
    components::{Icon, ItemForm},
    rights,
    state::{
        library::{
            address, based_on, coverage, found_by, has_wiring, is_over, matches, name, nodes, objective,
            price, state, switches, toggle,
        },
        place::Place,
        words::{count, grouped, moment, problem_words},
    },
    studio::{
        Studio,
        navigate::{EDIT, Navigator},
    },
    work::{Work, keep_current},
};
use leptos::{prelude::*, task::spawn_local};
use shared::api::{LibraryItem, MAX_NOTE, MAX_WORKSPACE_NAME, WorkKind, WorkspaceView};

/// Milliseconds between two loads of a list with work that goes on.
const REFRESH: u32 = 5000;

/// Signals of a list.
#[derive(Clone, Copy)]
struct List {
    /// The workspace; `None` for the library of this browser.
    workspace: RwSignal<Option<String>>,
    items: RwSignal<Option<Vec<LibraryItem>>>,
    /// Number of loads; a change loads again.
    round: RwSignal<u32>,
    search: RwSignal<String>,
    selection: RwSignal<Vec<String>>,
    /// The item whose deletion waits for a confirmation.
    asking: RwSignal<Option<String>>,
    problem: RwSignal<Option<String>>,
}

impl List {
    fn new() -> List {
        List {
            workspace: RwSignal::new(None),
            items: RwSignal::new(None),
            round: RwSignal::new(0),
            search: RwSignal::new(String::new()),
            selection: RwSignal::new(Vec::new()),
            asking: RwSignal::new(None),
            problem: RwSignal::new(None),
        }
    }

    /// The token that changes items here.
    fn token(self) -> Option<String> {
        match self.workspace.get_untracked() {
            Some(workspace) => rights::secret(&workspace),
            None => rights::token(),
        }
    }

    fn item(self, id: &str) -> Option<LibraryItem> {
        self.items.with(|items| items.as_ref()?.iter().find(|item| item.id == id).cloned())
    }

    /// Ids of the items that the search finds.
    fn found(self) -> Vec<String> {
        let search = self.search.get();
        self.items.with(|items| {
            let found = items.iter().flatten().filter(|item| matches(item, &search));
            found.map(|item| item.id.clone()).collect()
        })
    }

    /// Sends a change, then loads the list again.
    fn change(self, studio: Studio, request: impl Future<Output = api::Answer<()>> + 'static) {
        studio.view.notice.set(None);
        spawn_local(async move {
            if let Err(problem) = request.await {
                studio.view.show_problem(problem);
            }
            let _ = self.round.try_update(|round| *round += 1);
        });
    }
}

/// The page of this browser's designs and runs.
#[component]
pub fn Library() -> impl IntoView {
    let list = List::new();
    let total = RwSignal::new(0);
    keep_current(
        move |_| {
            list.round.track();
            Some(async { Some(api::library().await) })
        },
        move |answer| match answer {
            Ok(view) => {
                list.problem.set(None);
                total.set(view.total);
                list.items.set(Some(view.items));
            }
            Err(problem) => list.problem.set(Some(problem_words(&problem))),
        },
    );
    let beyond = move || {
        let shown = list.items.with(|items| items.as_ref().map_or(0, Vec::len)) as u64;
        (total.get() > shown)
            .then(|| format!("The latest {} of {} are listed.", grouped(shown), grouped(total.get())))
    };
    view! {
        <section class="library" id="library" aria-labelledby="library-title">
            <div class="heading">
                <div>
                    <h2 id="library-title">"Library"</h2>
                    <p class="hint">"Designs saved and work started in this browser. Nobody else sees this list. The link of a design shows its note. "{beyond}</p>
                    <Workspaces/>
                </div>
                <NewWorkspace/>
            </div>
            <Items list=list/>
        </section>
    }
}

/// Links to the workspaces that this browser knows.
#[component]
fn Workspaces() -> impl IntoView {
    let known = rights::workspaces().0;
    (!known.is_empty()).then(|| {
        view! {
            <p class="known">"Workspaces: "
                {known.into_iter().rev().map(|workspace| {
                    view! { <To place=Place::Workspace(workspace.id) words=workspace.name/>" " }
                }).collect_view()}
            </p>
        }
    })
}

/// Form for a new workspace.
#[component]
fn NewWorkspace() -> impl IntoView {
    let (studio, navigator) = (Studio::here(), Navigator::here());
    let typed = RwSignal::new(String::new());
    let starting = Work::new();
    let start = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let Some(secret) = browser::random() else { return };
        let name = typed.get_untracked();
        let kept = secret.clone();
        starting.run(
            move |_| Some(async move { Some(api::start_workspace(name, &secret).await) }),
            move |answer| match answer {
                Ok(view) => {
                    rights::keep_secret(&view.id, &kept);
                    rights::keep_workspace(&view.id, &view.name);
                    navigator.go(Place::Workspace(view.id));
                }
                Err(problem) => studio.view.show_problem(problem),
            },
        );
    };
    view! {
        <form class="tools" on:submit=start title="A workspace is a list of designs and work with a link that you can share">
            <div class="field">
                <label for="workspace-name">"New workspace"</label>
                <span class="entry">
                    <input id="workspace-name" type="text" maxlength=MAX_WORKSPACE_NAME autocomplete="off" placeholder="Name"
                        prop:value=typed on:input=move |event| typed.set(event_target_value(&event))/>
                    <button type="submit" prop:disabled=move || typed.with(|name| name.trim().is_empty())>"Create"</button>
                </span>
            </div>
        </form>
    }
}

/// The page of a workspace.
#[component]
pub fn Workspace(id: String) -> impl IntoView {
    let list = List::new();
    let head = RwSignal::new(None::<WorkspaceView>);
    list.workspace.set(Some(id.clone()));
    keep_current(
        move |_| {
            list.round.track();
            let id = id.clone();
            Some(async move { Some((api::workspace(&id).await, id)) })
        },
        move |(answer, id)| match answer {
            Ok(mut view) => {
                rights::keep_workspace(&view.id, &view.name);
                if !view.may_edit {
                    rights::forget_secret(&view.id);
                }
                list.problem.set(None);
                list.items.set(Some(std::mem::take(&mut view.items)));
                head.set(Some(view));
            }
            Err(problem) => {
                if problem.status == 404 {
                    rights::forget_workspace(&id);
                }
                list.problem.set(Some(problem_words(&problem)));
            }
        },
    );
    view! {
        <section class="library" id="workspace" aria-labelledby="workspace-title">
            <div class="heading">
                <h2 id="workspace-title">{move || head.get().map_or("Workspace".into(), |head| head.name)}</h2>
                <p class="hint">{move || head.get().map(|head| match head.may_edit {
                    true => "You have the edit link: you can add, annotate, remove, rename and delete.",
                    false => "You have the view link. Only the edit link changes this list.",
                })}</p>
            </div>
            {move || head.get().map(|head| view! { <WorkspaceLinks list=list head=head/> })}
            <Items list=list/>
        </section>
    }
}

/// The links of a workspace, and forms to add a design, to rename it and to delete it.
#[component]
fn WorkspaceLinks(list: List, head: WorkspaceView) -> impl IntoView {
    let studio = Studio::here();
    let place = Place::Workspace(head.id.clone()).address();
    let secret = rights::secret(&head.id).filter(|_| head.may_edit);
    let copy = move |address: String, notice: &'static str| {
        spawn_local(async move {
            match browser::copy(&browser::absolute(&address)).await {
                true => studio.view.notify(notice),
                false => studio.view.show_error(
                    "The browser does not allow copying. The link is:",
                    vec![browser::absolute(&address)],
                ),
            }
        });
    };
    let viewing = place.clone();
    let editing = secret.map(|secret| format!("{place}#{EDIT}={secret}"));
    let id = head.id.clone();
    let add = move |item: String| {
        let id = id.clone();
        list.change(studio, async move { api::add_to_workspace(&id, item).await });
    };
    view! {
        <div class="tools">
            <button type="button" id="copy-view" on:click=move |_| copy(viewing.clone(), "View link copied. It changes nothing.")>
                <Icon name="copy"/>"Copy view link"
            </button>
            {editing.clone().map(|address| view! {
                <button type="button" id="copy-edit"
                    on:click=move |_| copy(address.clone(), "Edit link copied. Everyone who has it can add, annotate and delete.")>
                    <Icon name="copy"/>"Copy edit link"
                </button>
            })}
        </div>
        {editing.map(|_| view! {
            <ItemForm id="add-link" label="Link of a design or work" verb="Add" on_item=add/>
            <Upkeep list=list head=head/>
        })}
    }
}

/// Renames a workspace, or deletes it after a confirmation.
#[component]
fn Upkeep(list: List, head: WorkspaceView) -> impl IntoView {
    let (studio, navigator) = (Studio::here(), Navigator::here());
    let typed = RwSignal::new(head.name.clone());
    let asking = RwSignal::new(false);
    let id = StoredValue::new(head.id);
    let rename = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let name = typed.get_untracked();
        list.change(studio, async move { api::rename_workspace(&id.get_value(), name).await });
    };
    let delete = move |_| {
        let id = id.get_value();
        spawn_local(async move {
            match api::delete_workspace(&id).await {
                Ok(()) => {
                    rights::forget_workspace(&id);
                    rights::forget_secret(&id);
                    navigator.go(Place::Library);
                }
                Err(problem) => studio.view.show_problem(problem),
            }
        });
    };
    let unchanged = move || typed.with(|name| name.trim().is_empty() || name.trim() == head.name);
    view! {
        <form class="tools" on:submit=rename>
            <div class="field">
                <label for="workspace-name">"Name"</label>
                <span class="entry">
                    <input id="workspace-name" type="text" maxlength=MAX_WORKSPACE_NAME autocomplete="off" prop:value=typed
                        on:input=move |event| typed.set(event_target_value(&event))/>
                    <button type="submit" prop:disabled=unchanged>"Rename"</button>
                </span>
            </div>
            {move || match asking.get() {
                true => view! {
                    <span class="confirm" role="group" aria-label="Deletion of this workspace">
                        "Delete this list? Its designs and work stay. "
                        <button type="button" class="danger" on:click=delete>"Delete for ever"</button>
                        <button type="button" on:click=move |_| asking.set(false)>"Keep"</button>
                    </span>
                }
                .into_any(),
                false => view! {
                    <button type="button" id="delete-workspace" on:click=move |_| asking.set(true)>"Delete workspace"</button>
                }
                .into_any(),
            }}
        </form>
    }
}

/// A link to a page of the studio.
#[component]
fn To(place: Place, words: String) -> impl IntoView {
    let navigator = Navigator::here();
    let address = place.address();
    view! {
        <a href=address on:click=move |event| {
            if !event.ctrl_key() && !event.meta_key() && !event.shift_key() {
                event.prevent_default();
                navigator.go(place.clone());
            }
        }>{words}</a>
    }
}

/// Search, actions on the selection, and the table.
#[component]
fn Items(list: List) -> impl IntoView {
    let found = Memo::new(move |_| list.found());
    keep_current(
        move |turn| {
            list.round.track();
            let goes_on = list.items.with(|items| !items.iter().flatten().all(is_over));
            goes_on.then_some(async move { turn.wait(REFRESH).await })
        },
        move |()| list.round.update(|round| *round += 1),
    );
    let is_empty = move || list.items.with(|items| items.as_ref().is_some_and(Vec::is_empty));
    let has_items = move || list.items.with(|items| items.as_ref().is_some_and(|items| !items.is_empty()));
    view! {
        <p class="fault" role="status" id="library-problem" hidden=move || list.problem.with(Option::is_none)>{move || list.problem.get()}</p>
        <p class="empty" id="library-empty" hidden=move || !is_empty()>
            {move || match list.workspace.with(Option::is_some) {
                true => "Nothing here yet. Paste a link above, or select designs in your library and add them.",
                false => "Nothing here yet. Start a search, or save a design with Share.",
            }}
            " "<To place=Place::Home words="Open the start page".into()/>
        </p>
        <div class="tools" hidden=move || !has_items()>
            <div class="field">
                <label for="library-search">"Search"</label>
                <input id="library-search" type="search" placeholder="Name, note, figures" prop:value=list.search
                    on:input=move |event| list.search.set(event_target_value(&event))/>
            </div>
            <Selected list=list/>
        </div>
        <p class="hint" role="status" id="library-found">
            {move || (!list.search.with(String::is_empty)).then(|| format!("{} found", grouped(found.with(Vec::len) as u64)))}
        </p>
        <table class="data library-items" id="library-items" hidden=move || !has_items()>
            <thead><tr>
                <th scope="col"><span class="unseen">"Select"</span></th>
                <th scope="col"><span class="unseen">"Map"</span></th>
                <th scope="col">"Name"</th><th scope="col" class="number">"Nodes"</th>
                <th scope="col" class="number">"Switches"</th><th scope="col" class="number">"Price"</th>
                <th scope="col">"Objective"</th><th scope="col" class="number">"Coverage"</th><th scope="col">"Date"</th><th scope="col">"Note"</th>
                <th scope="col"><span class="unseen">"Actions"</span></th>
            </tr></thead>
            <tbody><For each=move || found.get() key=Clone::clone children=move |id| view! { <Row list=list id=id/> }/></tbody>
        </table>
    }
}

/// What can be done with the selected items.
#[component]
fn Selected(list: List) -> impl IntoView {
    let (studio, navigator) = (Studio::here(), Navigator::here());
    let two = move || list.selection.with(|selection| <[String; 2]>::try_from(selection.clone()).ok());
    let compare = move |_| {
        if let Some([a, b]) = two() {
            navigator.go(Place::Difference(a, b));
        }
    };
    let editable: Vec<_> =
        rights::workspaces().0.into_iter().filter(|known| rights::secret(&known.id).is_some()).collect();
    let has_editable = !editable.is_empty();
    let add = move |event: web_sys::Event| {
        let workspace = event_target_value(&event);
        event_target::<web_sys::HtmlSelectElement>(&event).set_selected_index(0);
        let items = list.selection.get_untracked();
        if workspace.is_empty() {
            return;
        }
        list.change(studio, async move {
            for item in &items {
                api::add_to_workspace(&workspace, item.clone()).await?;
            }
            let words = count(items.len() as u64, "item");
            studio.view.notify(format!("{words} added. Open the workspace to share its link."));
            Ok(())
        });
    };
    let none = move || list.selection.with(Vec::is_empty);
    view! {
        <button type="button" id="compare-two" prop:disabled=move || two().is_none() title="Select two designs or runs, the old one first"
            on:click=compare>"Compare two"</button>
        {has_editable.then(|| view! {
            <select id="add-to" aria-label="Add the selection to a workspace" prop:disabled=none on:change=add>
                <option value="">"Add to workspace …"</option>
                {editable.into_iter().map(|known| view! { <option value=known.id>{known.name}</option> }).collect_view()}
            </select>
        })}
        <span class="hint" id="selected">{move || (!none()).then(|| format!("{} selected", list.selection.with(Vec::len)))}</span>
    }
}

#[component]
fn Row(list: List, id: String) -> impl IntoView {
    let Some(first) = list.item(&id) else { return ().into_any() };
    let item = {
        let (id, first) = (id.clone(), first.clone());
        Memo::new(move |_| list.item(&id).unwrap_or_else(|| first.clone()))
    };
    let place = Place::of(&address(&id, first.kind), "");
    let label = format!("Select {}", name(&first));
    let date = moment(&first.created);
    let (day, time) = date.split_once(' ').unwrap_or((&date, ""));
    let date = view! { <span>{day.to_owned()}</span>" "<span>{time.to_owned()}</span> };
    let picked = id.clone();
    let base = move || {
        item.with(|item| {
            let base = item.based_on.as_ref().filter(|_| found_by(item).is_none())?;
            let words = based_on(item)?;
            let link =
                (!base.id.is_empty()).then(|| address(&base.id, base.is_run.then_some(WorkKind::Search)));
            Some(view! { <span class="base">{match link {
                Some(link) => view! { <To place=Place::of(&link, "") words=words/> }.into_any(),
                None => words.into_any(),
            }}</span> })
        })
    };
    let origin = match found_by(&first) {
        Some(id) => {
            let place = Place::of(&address(id, Some(WorkKind::Search)), "");
            view! { " · "<To place=place words=first.origin.clone()/> }.into_any()
        }
        None => (!first.origin.is_empty()).then(|| format!(" · {}", first.origin)).into_any(),
    };
    view! {
        <tr>
            <td class="pick"><input type="checkbox" aria-label=label
                prop:checked=move || list.selection.with(|selection| selection.contains(&picked))
                on:change={
                    let id = id.clone();
                    move |_| list.selection.update(|selection| toggle(selection, &id))
                }/></td>
            <td class="thumbnail">{move || item.with(has_wiring).then(|| view! {
                <img src=api::preview_address(&id, first.kind.is_some()) alt="" loading="lazy" decoding="async" width="48" height="48"/>
            })}</td>
            <th scope="row"><To place=place words=name(&first)/><span class="base">{move || item.with(state)}{origin}</span>{base}</th>
            <td data-label="Nodes" class="number">{nodes(&first)}</td>
            <td data-label="Switches" class="number">{move || item.with(switches)}</td>
            <td data-label="Price" class="number" title=move || item.with(price).1>{move || item.with(price).0}</td>
            <td data-label="Objective">{objective(&first)}</td>
            <td data-label="Coverage" class="number">{move || item.with(coverage)}</td>
            <td class="date" data-label="Date">{date}</td>
            <td class="noted" data-label="Note"><Note list=list item=item/></td>
            <td class="act"><Actions list=list item=item/></td>
        </tr>
    }
    .into_any()
}

/// The note, to edit if the right is there.
#[component]
fn Note(list: List, item: Memo<LibraryItem>) -> impl IntoView {
    let studio = Studio::here();
    let save = move |event: web_sys::Event| {
        let (note, id) = (event_target_value(&event), item.with_untracked(|item| item.id.clone()));
        let token = list.token();
        list.change(studio, async move { api::set_note(&id, note, token.as_deref()).await });
    };
    let label = format!("Note of {}", item.with_untracked(name));
    // What somebody types stays while the rest of the row changes.
    let note = Memo::new(move |_| item.with(|item| item.note.clone()));
    let may_edit = Memo::new(move |_| item.with(|item| item.may_edit));
    move || {
        match may_edit.get() {
        true => view! {
            <input type="text" class="note" aria-label=label.clone() maxlength=MAX_NOTE title=note prop:value=note on:change=save/>
        }
        .into_any(),
        false => view! { <span>{note}</span> }.into_any(),
    }
    }
}

/// Stop or delete, the latter after a confirmation, and remove from a workspace.
#[component]
fn Actions(list: List, item: Memo<LibraryItem>) -> impl IntoView {
    let studio = Studio::here();
    let id = move || item.with_untracked(|item| item.id.clone());
    let title = item.with_untracked(name);
    let is_asking = Memo::new(move |_| {
        list.asking.with(|asking| asking.as_ref() == Some(&item.with(|item| item.id.clone())))
    });
    let may_remove = move || {
        list.workspace
            .with(|workspace| workspace.as_ref().is_some_and(|workspace| rights::secret(workspace).is_some()))
    };
    let remove = move |_| {
        let (Some(workspace), item) = (list.workspace.get_untracked(), id()) else { return };
        list.selection.update(|selection| selection.retain(|known| *known != item));
        list.change(studio, async move { api::remove_from_workspace(&workspace, item).await });
    };
    let delete = move |_| {
        let (id, token) = (id(), list.token());
        list.asking.set(None);
        list.selection.update(|selection| selection.retain(|known| *known != id));
        list.change(studio, async move { api::delete_item(&id, token.as_deref()).await });
    };
    let stop = move |_| {
        let id = id();
        list.change(studio, async move { api::stop(&id).await });
    };
    let goes_on = Memo::new(move |_| !item.with(is_over));
    let may_edit = Memo::new(move |_| item.with(|item| item.may_edit));
    // Editors of a workspace delete what its owner added, but stop only their own work.
    let may_stop = move || list.workspace.with(Option::is_none) || rights::may_stop(&id());
    let [deleting, removing, stopping] = ["Delete", "Remove", "Stop"].map(|verb| format!("{verb} {title}"));
    move || {
        match is_asking.get() {
        true => view! {
            <span class="confirm" role="group" aria-label=format!("Deletion of {title}")>
                "Delete for ever? "
                <button type="button" class="danger" on:click=delete>"Delete for ever"</button>
                <button type="button" on:click=move |_| list.asking.set(None)>"Keep"</button>
            </span>
        }
        .into_any(),
        false => view! {
            {may_remove().then(|| view! {
                <button type="button" aria-label=removing.clone() title="Remove from this workspace" on:click=remove>"Remove"</button>
            })}
            {match (may_edit.get(), goes_on.get()) {
                (true, false) => view! {
                    <button type="button" aria-label=deleting.clone() on:click=move |_| list.asking.set(Some(id()))>"Delete"</button>
                }
                .into_any(),
                (true, true) if may_stop() => {
                    view! { <button type="button" aria-label=stopping.clone() on:click=stop>"Stop"</button> }.into_any()
                }
                _ => ().into_any(),
            }}
        }
        .into_any(),
    }
    }
}
