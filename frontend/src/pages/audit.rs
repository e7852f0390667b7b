//! The machine's cables compared with the design's, by LLDP.

use crate::{
    browser,
    components::{Field, FilePicker, pressed},
    state::{
        audit::{AuditSummary, CableKind, MAX_BYTES, compare},
        words::grouped,
    },
    studio::Studio,
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    exports::{DESIGNS, uplink_cables},
    spec::names::Interfaces,
};

/// The setting for the name of the nodes' NICs.
const INTERFACE: &str = "interface";

type AuditResult = Option<Result<AuditSummary, Vec<String>>>;

/// The output of lldpctl, pasted or from a file.
#[component]
pub fn Audit() -> impl IntoView {
    let studio = Studio::here();
    let text = RwSignal::new(String::new());
    let found = RwSignal::new(AuditResult::None);
    let setting = DESIGNS.setting(INTERFACE);
    let interface = Signal::derive(move || studio.session.choices.with(|c| c.text(INTERFACE)));
    let default = Signal::derive(move || {
        studio.result.of_held(|held| held.spec.names.interface.written()).unwrap_or_default()
    });
    let wrong = Signal::derive(move || setting.and_then(|s| studio.session.choices.with(|c| c.fault(s))));
    let look = move || {
        let Some(held) = studio.result.held.get_untracked() else { return };
        let (text, called) = (text.get_untracked(), interface.get_untracked());
        // The field shows its fault, and an empty one means the spec's names.
        let called = Interfaces::parse(called.trim()).ok();
        found.set(None);
        spawn_local(async move {
            browser::breathe().await;
            // Each step is a task of its own: a machine has hundreds of thousands of cables.
            let uplinks = uplink_cables(&held.spec, &held.design);
            browser::breathe().await;
            let compared = compare(&held.design, &held.names(), &uplinks, called.as_ref(), &text);
            browser::breathe().await;
            let _ = found.try_set(Some(compared));
        });
    };
    // A report is for one design only.
    Effect::new(move |_| {
        studio.result.held.track();
        found.set(None);
    });
    let read = move |_, file| match file {
        Ok(read) => {
            text.set(read);
            look();
        }
        Err(reason) => found.set(Some(Err(vec![reason]))),
    };
    let take = move |text| {
        if let Some(setting) = setting {
            studio.session.choices.update(|c| c.set(setting, text));
        }
    };
    let faulty = move || found.with(|f| matches!(f, Some(Err(_))));
    view! {
        <details class="import" id="audit">
            <summary>"Compare with the machine"</summary>
            <div class="field text" class:wrong=faulty>
                <label for="audit-text">"Output of "<code>"lldpctl"</code>" from all nodes, each after a line with its name"</label>
                <textarea id="audit-text" rows="6" spellcheck="false" wrap="off" prop:value=text
                    aria-invalid=move || pressed(faulty()) aria-describedby="audit-found"
                    on:input=move |event| text.set(event_target_value(&event))></textarea>
            </div>
            <Field id="audit-interface" label="NIC names on the nodes" mode="text" value=interface fault=wrong
                placeholder=default on_input=take/>
            <div class="actions">
                <button type="button" id="audit-compare" prop:disabled=move || text.with(|t| t.trim().is_empty()) || wrong.with(Option::is_some)
                    on:click=move |_| look()>"Compare"</button>
                <FilePicker id="audit-file" words="Open file" label="Open file with LLDP output" max=MAX_BYTES
                    wanted="the output of `lldpctl`" on_file=read/>
            </div>
            <div id="audit-found" role="status">{move || found.with(shown)}</div>
        </details>
    }
}

fn shown(found: &AuditResult) -> AnyView {
    match found {
        None => ().into_any(),
        Some(Err(faults)) => {
            let faults = faults.clone();
            view! { <ul class="fault">{faults.into_iter().map(|f| view! { <li>{f}</li> }).collect_view()}</ul> }.into_any()
        }
        Some(Ok(AuditSummary { words, holds, kinds })) => view! {
            <p class="verdict" class:good=*holds>{words.clone()}</p>
            <div class="scroll" tabindex="0" role="region" aria-label="Cables of the machine">
            <table class="data" id="audit-table">
                <thead><tr><th scope="col">"Cables"</th><th scope="col" class="number">"Number"</th><th scope="col">"Details"</th></tr></thead>
                <tbody>{kinds.iter().cloned().map(line).collect_view()}</tbody>
            </table>
            </div>
        }
        .into_any(),
    }
}

fn line(kind: CableKind) -> impl IntoView {
    view! {
        <tr>
            <th scope="row" class:fault=kind.bad>{kind.name}</th>
            <td class="number">{grouped(kind.number)}</td>
            <td><ul>{kind.lines.into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul></td>
        </tr>
    }
}
