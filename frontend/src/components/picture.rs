//! A small picture of a pattern.

use crate::state::picture::Picture;
use leptos::{html, prelude::*};
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, ImageData};

/// The picture, one pixel per cell, magnified without blur by the style sheet.
#[component]
pub fn PictureCanvas(
    /// The picture, once there is one.
    #[prop(into)]
    picture: Signal<Option<Picture>>,
    /// `true` if the page is dark.
    #[prop(into)]
    dark: Signal<bool>,
    /// The picture in words, for screen readers; empty if the text beside it is enough.
    #[prop(optional, into)]
    label: String,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        let (Some(canvas), ink) = (canvas.get(), if dark.get() { 236 } else { 17 }) else { return };
        picture.with(|picture| {
            let Some(picture) = picture else { return };
            let side = picture.side as u32;
            canvas.set_width(side);
            canvas.set_height(side);
            let bytes: Vec<u8> = picture.shades.iter().flat_map(|&shade| [ink, ink, ink, shade]).collect();
            let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bytes), side, side);
            if let (Some(context), Ok(image)) = (context(&canvas), image) {
                let _ = context.put_image_data(&image, 0.0, 0.0);
            }
        });
    });
    let hidden = label.is_empty().then_some("true");
    view! { <canvas class="picture" width="64" height="64" role="img" node_ref=canvas aria-label=label aria-hidden=hidden></canvas> }
}

/// The drawing context of a canvas.
pub(super) fn context(canvas: &web_sys::HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context_with_context_options("2d", &JsValue::UNDEFINED).ok().flatten()?.dyn_into().ok()
}
