//! The events of a key press.

use serde_json::{Value, json};

/// Parameters of `Input.dispatchKeyEvent` for one key press.
pub fn events(key: &str, modifiers: u32) -> Vec<Value> {
    let (code, number) = code_of(key);
    let mut down = json!({
        "type": "rawKeyDown", "key": key, "code": code, "modifiers": modifiers,
        "windowsVirtualKeyCode": number, "nativeVirtualKeyCode": number,
    });
    // Ctrl and Meta turn a letter into a command; otherwise it is typed.
    let typed = match key {
        "Enter" => Some("\r"),
        _ if key.chars().count() == 1 && modifiers & 6 == 0 => Some(key),
        _ => None,
    };
    if let Some(text) = typed {
        down["type"] = json!("keyDown");
        down["text"] = json!(text);
    }
    let mut up = down.clone();
    up["type"] = json!("keyUp");
    up.as_object_mut().and_then(|event| event.remove("text"));
    vec![down, up]
}

/// The key's place on the keyboard and its number there.
fn code_of(key: &str) -> (String, u32) {
    let named = [
        ("Tab", 9),
        ("Enter", 13),
        ("Escape", 27),
        ("End", 35),
        ("Home", 36),
        ("ArrowLeft", 37),
        ("ArrowUp", 38),
        ("ArrowRight", 39),
        ("ArrowDown", 40),
        ("Delete", 46),
    ];
    if let Some((_, number)) = named.iter().find(|(name, _)| *name == key) {
        return (key.to_owned(), *number);
    }
    let upper = key.chars().next().unwrap_or(' ').to_ascii_uppercase();
    match upper {
        ' ' => ("Space".to_owned(), 32),
        'A'..='Z' => (format!("Key{upper}"), u32::from(upper)),
        '0'..='9' => (format!("Digit{upper}"), u32::from(upper)),
        _ => (String::new(), 0),
    }
}
