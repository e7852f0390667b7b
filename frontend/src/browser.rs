//! The browser's interfaces: storage, files, clipboard, address bar, time.

use crate::state::words::grouped;
use gloo_timers::future::TimeoutFuture;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{
    Blob, BlobPropertyBag, Document, Element, File, HtmlAnchorElement, HtmlElement, Notification,
    NotificationPermission, Storage, Url, Window,
};

/// The window.
pub fn window() -> Window {
    web_sys::window().expect("the studio runs in a window")
}

/// The page.
pub fn document() -> Document {
    window().document().expect("a window has a page")
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    js_sys::Date::now() as u64
}

/// The time of day, such as 12:04.
pub fn time_of_day() -> String {
    let date = js_sys::Date::new_0();
    format!("{:02}:{:02}", date.get_hours(), date.get_minutes())
}

/// Today's date: year, month and day.
pub fn date() -> String {
    let date = js_sys::Date::new_0();
    format!("{:04}-{:02}-{:02}", date.get_full_year(), date.get_month() + 1, date.get_date())
}

/// Day and time of some milliseconds since 1970, such as 2026-11-22 21:04.
pub fn day_and_time(milliseconds: u64) -> String {
    let date = js_sys::Date::new(&JsValue::from_f64(milliseconds as f64));
    let (year, month, day) = (date.get_full_year(), date.get_month() + 1, date.get_date());
    format!("{year}-{month:02}-{day:02} {:02}:{:02}", date.get_hours(), date.get_minutes())
}

/// Lets the browser draw and take input.
pub async fn breathe() {
    TimeoutFuture::new(4).await;
}

/// Lets the browser draw a frame.
pub async fn next_frame() {
    TimeoutFuture::new(17).await;
}

/// Waits for a number of milliseconds.
pub async fn sleep(milliseconds: u32) {
    TimeoutFuture::new(milliseconds).await;
}

fn storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

/// The text stored under a key; `None` if storage is disabled.
pub fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Stores a text. Returns `false` if storage is full or disabled.
pub fn store(key: &str, text: &str) -> bool {
    storage().is_some_and(|s| s.set_item(key, text).is_ok())
}

fn tab_storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

/// The text stored for this tab.
pub fn stored_for_tab(key: &str) -> Option<String> {
    tab_storage()?.get_item(key).ok().flatten()
}

/// Stores a text for this tab.
pub fn store_for_tab(key: &str, text: &str) {
    if let Some(storage) = tab_storage() {
        // Without it, the gallery still offers to continue.
        let _ = storage.set_item(key, text);
    }
}

/// Removes a text stored for this tab.
pub fn forget_for_tab(key: &str) {
    if let Some(storage) = tab_storage() {
        let _ = storage.remove_item(key);
    }
}

/// A random text of 160 bits; `None` if the browser has no random numbers.
pub fn random() -> Option<String> {
    let mut bytes = [0; 20];
    window().crypto().ok()?.get_random_values_with_u8_array(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Path and fragment of the address bar.
pub fn address() -> (String, String) {
    let location = window().location();
    (location.pathname().unwrap_or_default(), location.hash().unwrap_or_default())
}

/// The address with scheme and host, for sharing.
pub fn absolute(address: &str) -> String {
    format!("{}{address}", window().location().origin().unwrap_or_default())
}

/// Goes to an address of the studio, with an entry in the history.
pub fn push_address(address: &str) {
    if let Ok(history) = window().history() {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(address));
    }
}

/// The screen's pixels per CSS pixel, at least 1.
pub fn pixel_ratio() -> f64 {
    window().device_pixel_ratio().max(1.0)
}

/// `true` if the person asked for less motion.
pub fn prefers_less_motion() -> bool {
    window().match_media("(prefers-reduced-motion: reduce)").ok().flatten().is_some_and(|m| m.matches())
}

/// Removes what the page showed until now in place of the studio.
pub fn uncover() {
    if let Some(cover) = element("boot") {
        cover.remove();
    }
}

/// Dispatches an event without data to the window.
pub fn announce(name: &str) {
    if let Ok(event) = web_sys::Event::new(name) {
        let _ = window().dispatch_event(&event);
    }
}

/// Loads the page again.
pub fn reload() {
    let _ = window().location().reload();
}

/// Replaces the address of the page, without an entry in the history.
pub fn replace_address(address: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(address));
    }
}

/// Loads an address.
pub fn load(address: &str) {
    let _ = window().location().assign(address);
}

/// `true` if the browser can show notifications here, now or after it has asked.
pub fn has_notifications() -> bool {
    let has = js_sys::Reflect::has(&window(), &"Notification".into()).unwrap_or(false);
    has && window().is_secure_context() && Notification::permission() != NotificationPermission::Denied
}

/// Asks the person to allow notifications, unless they have. Returns `true` if they are allowed.
pub async fn ask_for_notifications() -> bool {
    let Ok(asked) = Notification::request_permission() else { return false };
    let answer = wasm_bindgen_futures::JsFuture::from(asked).await;
    answer.is_ok() && Notification::permission() == NotificationPermission::Granted
}

/// Shows a notification. Some browsers only do so for an installed page.
pub fn show_notification(title: &str) {
    let _ = Notification::new(title);
}

/// `true` if the system has a dark theme.
pub fn system_is_dark() -> bool {
    window().match_media("(prefers-color-scheme: dark)").ok().flatten().is_some_and(|m| m.matches())
}

/// Calls back when the system's theme changes, for as long as the page lives.
pub fn on_system_theme(call: impl Fn(bool) + 'static) {
    let Some(query) = window().match_media("(prefers-color-scheme: dark)").ok().flatten() else { return };
    let closure = Closure::<dyn FnMut(web_sys::MediaQueryListEvent)>::new(
        move |event: web_sys::MediaQueryListEvent| call(event.matches()),
    );
    let _ = query.add_event_listener_with_callback("change", closure.as_ref().unchecked_ref());
    closure.forget();
}

/// Calls back when the page is left or reloaded, for as long as it lives.
pub fn on_leave(call: impl Fn() + 'static) {
    let closure = Closure::<dyn FnMut()>::new(call);
    let _ = window().add_event_listener_with_callback("pagehide", closure.as_ref().unchecked_ref());
    closure.forget();
}

/// Posts without a body. The request goes out even if the page is left.
pub fn post_at_leave(address: &str, header: (&str, &str)) {
    let options = web_sys::RequestInit::new();
    options.set_method("POST");
    let pair = js_sys::Array::of2(&header.0.into(), &header.1.into());
    options.set_headers(&js_sys::Array::of1(&pair));
    if js_sys::Reflect::set(&options, &"keepalive".into(), &true.into()).is_ok() {
        // Nobody is here for the answer.
        let _ = window().fetch_with_str_and_init(address, &options);
    }
}

/// Calls back before and after printing, for as long as the page lives.
pub fn on_print(call: impl Fn(bool) + Clone + 'static) {
    for (event, printing) in [("beforeprint", true), ("afterprint", false)] {
        let call = call.clone();
        let closure = Closure::<dyn FnMut()>::new(move || call(printing));
        let _ = window().add_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
        closure.forget();
    }
}

/// Copies a text. Returns `false` if the browser does not allow it.
pub async fn copy(text: &str) -> bool {
    let navigator = window().navigator();
    // Outside secure contexts there is no clipboard at all.
    let has = js_sys::Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|c| !c.is_undefined());
    has && wasm_bindgen_futures::JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// Bytes outside WebAssembly's memory; `None` if they do not fit there.
pub fn blob(bytes: &[u8], media_type: &str) -> Option<Blob> {
    let parts = js_sys::Array::new();
    parts.push(&js_sys::Uint8Array::from(bytes));
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    Blob::new_with_u8_array_sequence_and_options(&parts, &options).ok()
}

/// The last bytes of a file as text.
pub async fn end_of(blob: &Blob, most: u32) -> String {
    let from = (blob.size() - f64::from(most)).max(0.0);
    let Ok(end) = blob.slice_with_f64(from) else { return String::new() };
    let text = wasm_bindgen_futures::JsFuture::from(end.text()).await;
    text.ok().and_then(|text| text.as_string()).unwrap_or_default()
}

/// An address of bytes, valid until it is forgotten.
pub fn address_of(bytes: &[u8], media_type: &str) -> Option<String> {
    Url::create_object_url_with_blob(&blob(bytes, media_type)?).ok()
}

/// Releases the bytes of an address.
pub fn forget_address(address: &str) {
    let _ = Url::revoke_object_url(address);
}

/// A text, encoded for an address.
pub fn in_address(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
}

/// Saves a file to disk.
pub fn download(name: &str, blob: &Blob) {
    let Ok(url) = Url::create_object_url_with_blob(blob) else { return };
    let page = document();
    if let Ok(anchor) = page.create_element("a").map(JsCast::unchecked_into::<HtmlAnchorElement>) {
        anchor.set_href(&url);
        anchor.set_download(name);
        if let Some(body) = page.body() {
            let _ = body.append_child(&anchor);
            anchor.click();
            anchor.remove();
        }
    }
    gloo_timers::callback::Timeout::new(30_000, move || {
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
}

/// The bytes of a chosen file of up to `max` bytes.
///
/// # Errors
/// The reason why it cannot be read.
pub async fn read_file(file: &File, max: usize) -> Result<Vec<u8>, String> {
    if file.size() > max as f64 {
        let (has, limit) = (grouped(file.size() as u64), grouped(max as u64));
        return Err(format!("{} is too large: {has} bytes, the limit is {limit}.", file.name()));
    }
    let mut bytes = Vec::new();
    read_slice(file, 0, file.size() as u64, &mut bytes).await?;
    Ok(bytes)
}

/// Reads the bytes of a chosen file from `start` up to `end` into `bytes`.
///
/// # Errors
/// The reason why it cannot be read.
pub async fn read_slice(file: &File, start: u64, end: u64, bytes: &mut Vec<u8>) -> Result<(), String> {
    let refused = || {
        format!("{} cannot be read. It may be a folder, or it has changed since you chose it.", file.name())
    };
    let slice = file.slice_with_f64_and_f64(start as f64, end as f64).map_err(|_| refused())?;
    let buffer = wasm_bindgen_futures::JsFuture::from(slice.array_buffer()).await.map_err(|_| refused())?;
    let array = js_sys::Uint8Array::new(&buffer);
    if u64::from(array.length()) != end - start {
        return Err(refused());
    }
    bytes.resize(array.length() as usize, 0);
    array.copy_to(bytes);
    Ok(())
}

/// Shows the top of the companion, which scrolls in place of the page.
pub fn scroll_to_top() {
    if let Some(main) = element("main") {
        main.set_scroll_top(0);
    }
}

/// The element with an id.
pub fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// `true` while a dialog is open, which takes the keys.
pub fn has_dialog() -> bool {
    document().query_selector("dialog[open]").is_ok_and(|open| open.is_some())
}

/// Gives a class to the elements of a container that the selector `wanted` matches. Others that `all` matches lose it.
pub fn light(container: &Element, class: &str, all: &str, wanted: &str) {
    // An error means that the browser knows no such class list.
    elements(container, all).iter().for_each(|element| drop(element.class_list().remove_1(class)));
    if !wanted.is_empty() {
        elements(container, wanted).iter().for_each(|element| drop(element.class_list().add_1(class)));
    }
}

/// The elements of a container that a selector matches.
pub fn elements(container: &Element, selector: &str) -> Vec<Element> {
    let found = container.query_selector_all(selector).ok();
    let found = found.iter().flat_map(|list| (0..list.length()).filter_map(|at| list.item(at)));
    found.filter_map(|node| node.dyn_into().ok()).collect()
}

/// Scrolls to the end of an element if its panel cuts it off.
pub fn reveal(id: &str) {
    if let Some(element) = element(id)
        && let Ok(Some(panel)) = element.closest(".panels > *")
        && element.get_bounding_client_rect().bottom() > panel.get_bounding_client_rect().bottom()
    {
        element.scroll_into_view_with_bool(false);
    }
}

/// Focuses an element and scrolls to it.
pub fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.focus();
        element.scroll_into_view_with_bool(true);
    }
}
