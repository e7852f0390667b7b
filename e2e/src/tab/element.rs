//! Elements of a page, found by role and accessible name.

use super::Tab;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::path::Path;

/// An element of a page.
pub struct Element<'a> {
    tab: &'a Tab,
    backend: i64,
    /// Accessible name.
    pub name: String,
}

impl Tab {
    /// The button whose name equals or contains `name`.
    ///
    /// # Errors
    /// If there is none, or several and none has exactly that name.
    pub async fn button(&self, name: &str) -> Result<Element<'_>> {
        self.find("button", name).await
    }

    /// The link whose name equals or contains `name`.
    ///
    /// # Errors
    /// As [`Tab::find`].
    pub async fn link(&self, name: &str) -> Result<Element<'_>> {
        self.find("link", name).await
    }

    /// The first input with this label: a text box, a number or a text area.
    ///
    /// # Errors
    /// As [`Tab::find`].
    pub async fn field(&self, label: &str) -> Result<Element<'_>> {
        self.find_any(&["textbox", "spinbutton", "searchbox"], label).await
    }

    /// Waits for the element of a role whose name equals or contains `name`, ignoring case.
    ///
    /// # Errors
    /// If there is none, or several and none has exactly that name.
    pub async fn find(&self, role: &str, name: &str) -> Result<Element<'_>> {
        self.find_any(&[role], name).await
    }

    /// Finds an element with one of several roles.
    ///
    /// # Errors
    /// As [`Tab::find`].
    pub async fn find_any(&self, roles: &[&str], name: &str) -> Result<Element<'_>> {
        let mut seen = Vec::new();
        let began = std::time::Instant::now();
        while began.elapsed() < super::PATIENCE {
            let mut all = Vec::new();
            for role in roles {
                // A page in the middle of navigation has no tree.
                all.extend(self.all(role).await.unwrap_or_default());
            }
            seen = all.iter().map(|element| element.name.clone()).collect();
            if let Some(element) = pick(all, name) {
                return Ok(element);
            }
            tokio::time::sleep(super::PAUSE).await;
        }
        bail!("no {} “{name}”; there are {seen:?}", roles.join(" or "))
    }

    /// `true` if there is one now.
    ///
    /// # Errors
    /// If the page cannot be read.
    pub async fn has(&self, role: &str, name: &str) -> Result<bool> {
        Ok(pick(self.all(role).await?, name).is_some())
    }

    /// All elements of a role in the accessibility tree, in the order of the page.
    ///
    /// # Errors
    /// If the page cannot be read.
    pub async fn all(&self, role: &str) -> Result<Vec<Element<'_>>> {
        let document = self.call("DOM.getDocument", json!({"depth": 0})).await?;
        let root = document["root"]["backendNodeId"].clone();
        let answer =
            self.call("Accessibility.queryAXTree", json!({"backendNodeId": root, "role": role})).await?;
        let nodes = answer["nodes"].as_array().cloned().unwrap_or_default();
        let element = |node: &Value| {
            let name = node["name"]["value"].as_str().unwrap_or_default().to_owned();
            node["backendDOMNodeId"].as_i64().map(|backend| Element { tab: self, backend, name })
        };
        Ok(nodes.iter().filter(|node| node["ignored"] != json!(true)).filter_map(element).collect())
    }
}

/// The only one that contains the name, or the first that is exactly it.
fn pick<'a>(all: Vec<Element<'a>>, name: &str) -> Option<Element<'a>> {
    let wanted = name.to_lowercase();
    let mut close: Vec<_> =
        all.into_iter().filter(|element| element.name.to_lowercase().contains(&wanted)).collect();
    match close.iter().position(|element| element.name.trim().to_lowercase() == wanted) {
        Some(exact) => Some(close.swap_remove(exact)),
        None if close.len() == 1 => close.pop(),
        None => None,
    }
}

impl Element<'_> {
    /// Calls a JavaScript function with `this` as the element.
    ///
    /// # Errors
    /// If it throws or the element is gone.
    pub async fn call(&self, function: &str, arguments: &[Value]) -> Result<Value> {
        let resolved = self.tab.call("DOM.resolveNode", json!({"backendNodeId": self.backend})).await?;
        let arguments: Vec<_> = arguments.iter().map(|value| json!({"value": value})).collect();
        let params = json!({
            "objectId": resolved["object"]["objectId"], "functionDeclaration": function,
            "arguments": arguments, "returnByValue": true, "awaitPromise": true, "userGesture": true,
        });
        let answer = self.tab.call("Runtime.callFunctionOn", params).await?;
        ensure!(answer.get("exceptionDetails").is_none(), "{function}: {}", answer["exceptionDetails"]);
        Ok(answer["result"]["value"].clone())
    }

    /// Clicks in the middle. An element in front of it is an error; one that moves away from under the pointer is clicked again.
    ///
    /// # Errors
    /// If it is gone, has no size, is covered, or never rests.
    pub async fn click(&self) -> Result<()> {
        let began = std::time::Instant::now();
        while began.elapsed() < super::PATIENCE {
            let place = self.middle().await?;
            self.tab.mouse("mouseMoved", place, 0.0).await?;
            self.call(
                "function () {
                    const parts = [this, ...(this.labels ?? [])];
                    const miss = hit => !parts.some(part => part.contains(hit));
                    window.missed = false;
                    addEventListener('mousedown', e => { window.missed = miss(e.target); }, {capture: true, once: true});
                }",
                &[],
            )
            .await?;
            self.tab.mouse("mousePressed", place, 0.0).await?;
            // A press that leads to another page is no miss.
            let missed = self.tab.evaluate("window.missed === true").await.unwrap_or_default() == json!(true);
            if !missed {
                return self.tab.mouse("mouseReleased", place, 0.0).await;
            }
            // Released elsewhere, a press is a click on what contains both places, which may close a menu: the page must not see it.
            self.tab.evaluate("window.swallow = e => e.stopImmediatePropagation(); addEventListener('click', swallow, true)").await?;
            self.tab.mouse("mouseReleased", (0.0, 0.0), 0.0).await?;
            self.tab.evaluate("removeEventListener('click', swallow, true)").await?;
        }
        bail!("“{}” never rests", self.name)
    }

    /// Returns the element's middle in the viewport, scrolled into view, once it rests.
    ///
    /// # Errors
    /// As [`Element::click`].
    pub async fn middle(&self) -> Result<(f64, f64)> {
        let point = self
            .call(
                "async function () {
                    this.scrollIntoView({block: 'center', inline: 'nearest', behavior: 'instant'});
                    let box = this.getBoundingClientRect();
                    for (let resting = 0, tries = 0; resting < 2 && tries < 100; tries++) {
                        await new Promise(later => setTimeout(later, 20));
                        const now = this.getBoundingClientRect();
                        resting = now.x === box.x && now.y === box.y ? resting + 1 : 0;
                        box = now;
                    }
                    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
                    const top = document.elementFromPoint(x, y);
                    const mine = top && (this.contains(top) || top.contains(this) || [...(this.labels ?? [])].some(l => l.contains(top)));
                    return {x, y, cover: mine ? '' : (top ? top.outerHTML.slice(0, 120) : 'nothing: outside of the view')};
                }",
                &[],
            )
            .await
            .with_context(|| format!("clicking “{}”", self.name))?;
        let cover = point["cover"].as_str().unwrap_or_default();
        ensure!(cover.is_empty(), "“{}” is covered by {cover}", self.name);
        Ok((point["x"].as_f64().unwrap_or_default(), point["y"].as_f64().unwrap_or_default()))
    }

    /// Replaces its text by typing, and removes the focus.
    ///
    /// # Errors
    /// If it is gone.
    pub async fn fill(&self, text: &str) -> Result<()> {
        self.call("function () { this.focus(); this.select(); }", &[]).await?;
        if text.is_empty() {
            self.tab.press("Delete").await?;
        } else {
            self.tab.call("Input.insertText", json!({"text": text})).await?;
        }
        self.call("function () { this.blur(); }", &[]).await?;
        Ok(())
    }

    /// Chooses the option of a list whose text equals or contains `text`.
    ///
    /// # Errors
    /// If there is none.
    pub async fn choose(&self, text: &str) -> Result<()> {
        // The list itself is drawn by the operating system, out of the protocol's reach.
        let chosen = self
            .call(
                "function (text) {
                    const fits = o => o.text.toLowerCase().includes(text) || o.value.toLowerCase() === text;
                    const exact = [...this.options].find(o => o.text.trim().toLowerCase() === text);
                    const option = exact ?? [...this.options].find(fits);
                    if (!option) return [...this.options].map(o => o.text).join(', ');
                    this.value = option.value;
                    this.dispatchEvent(new Event('input', {bubbles: true}));
                    this.dispatchEvent(new Event('change', {bubbles: true}));
                    return true;
                }",
                &[json!(text.to_lowercase())],
            )
            .await?;
        ensure!(chosen == json!(true), "“{}” offers no “{text}” but {chosen}", self.name);
        Ok(())
    }

    /// Attaches a file to a file input.
    ///
    /// # Errors
    /// If it is not a file input.
    pub async fn attach(&self, path: &Path) -> Result<()> {
        self.attach_all(&[path]).await
    }

    /// Attaches files to a file input.
    ///
    /// # Errors
    /// If it is not a file input, or takes one file only.
    pub async fn attach_all(&self, paths: &[impl AsRef<Path>]) -> Result<()> {
        let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
        let params = json!({"backendNodeId": self.backend, "files": paths});
        self.tab.call("DOM.setFileInputFiles", params).await?;
        Ok(())
    }

    /// Drops files in the middle.
    ///
    /// # Errors
    /// As [`Element::click`].
    pub async fn drop(&self, paths: &[impl AsRef<Path>]) -> Result<()> {
        let (x, y) = self.middle().await?;
        let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({"items": [], "files": paths, "dragOperationsMask": 1});
            let event = json!({"type": kind, "x": x, "y": y, "data": data});
            self.tab.call("Input.dispatchDragEvent", event).await?;
        }
        Ok(())
    }

    /// Returns the visible text.
    ///
    /// # Errors
    /// If it is gone.
    pub async fn text(&self) -> Result<String> {
        let text = self.call("function () { return this.innerText ?? this.textContent }", &[]).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Returns the value.
    ///
    /// # Errors
    /// If it is gone.
    pub async fn value(&self) -> Result<String> {
        let value = self.call("function () { return String(this.value) }", &[]).await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// `true` if it takes clicks.
    ///
    /// # Errors
    /// If it is gone.
    pub async fn is_enabled(&self) -> Result<bool> {
        let off = "function () { return !this.matches(':disabled') && this.ariaDisabled !== 'true' }";
        Ok(self.call(off, &[]).await? == json!(true))
    }
}
