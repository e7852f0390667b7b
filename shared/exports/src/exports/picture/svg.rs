//! Pictures as SVG: one path for all cables of a switch, text as text.

use super::{
    super::{DesignPlan, WriteResult, escape::markup},
    LABEL, Mark, Path, Picture,
    canvas::png,
    heading,
    layout::{PATCH, Point},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use std::fmt::{self, Write as _};

/// Writes a picture.
pub(super) fn write(plan: &DesignPlan, picture: &Picture, out: &mut dyn fmt::Write) -> WriteResult {
    let Picture { width, height, heading: size, .. } = picture;
    let (title, heading, line) = (markup(&plan.title()), markup(&heading(plan)), 20.0 + size / 2.0);
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>Wiring of {title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#f4f6f8\"/>\n\
         <text x=\"24\" y=\"{line}\" font-size=\"{size}\" font-weight=\"bold\">{heading}</text>\n",
    )?;
    picture.marks.iter().try_for_each(|mark| draw(mark, out))?;
    Ok(out.write_str("</svg>\n")?)
}

/// A text's `y` is its baseline here.
fn draw(mark: &Mark, out: &mut dyn fmt::Write) -> WriteResult {
    match mark {
        Mark::Cables { switch, colour, line, paths } => {
            let path = path(paths)?;
            if let Some(outline) = line.outline {
                writeln!(
                    out,
                    "<path d=\"{path}\" fill=\"none\" stroke=\"#8a929a\" stroke-width=\"{outline}\"/>"
                )?;
            }
            let dash = if line.is_dashed { " stroke-dasharray=\"7 3\"" } else { "" };
            writeln!(
                out,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{dash}><title>{switch}</title></path>",
                colour.paint, line.thickness
            )?;
        }
        Mark::Switch { area: (Point { x, y }, width, height), name, colour } => {
            let (text, middle, line) = (colour.text(), x + width / 2.0, y + height / 2.0);
            writeln!(
                out,
                "<rect x=\"{x:.0}\" y=\"{y:.1}\" width=\"{width:.0}\" height=\"{height:.1}\" rx=\"3\" fill=\"{}\" \
                 stroke=\"#30363c\"/>\n\
                 <text x=\"{middle:.0}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{text}\" font-weight=\"bold\">{name}</text>\n\
                 <text x=\"{middle:.0}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{text}\" font-size=\"8\">{}</text>",
                colour.paint,
                line - 1.0,
                line + 9.0,
                colour.name()
            )?;
        }
        Mark::Name { at: Point { x, y }, text } => {
            writeln!(out, "<text x=\"{x:.0}\" y=\"{:.1}\">{text}</text>", y + 4.0)?;
        }
        Mark::Patch { corner: Point { x, y }, colour, number } => writeln!(
            out,
            "<rect x=\"{x:.0}\" y=\"{y:.1}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#30363c\" \
             stroke-width=\".5\"/><text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"9\" \
             fill=\"{}\">{number}</text>",
            PATCH.0 - 2.0,
            PATCH.1,
            colour.paint,
            x + PATCH.0 / 2.0 - 1.0,
            y + PATCH.1 - 3.0,
            colour.text()
        )?,
        Mark::Label { at: Point { x, y }, text } => {
            writeln!(out, "<text x=\"{x}\" y=\"{}\" font-size=\"{LABEL}\">{}</text>", y + 7.0, markup(text))?;
        }
        Mark::Image { at: Point { x, y }, canvas } => {
            let mut image = Vec::new();
            png(canvas, &mut image)?;
            writeln!(
                out,
                "<image x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" \
                 style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>",
                canvas.width,
                canvas.height,
                STANDARD.encode(image)
            )?;
        }
    }
    Ok(())
}

fn path(paths: &[Path]) -> Result<String, fmt::Error> {
    let mut text = String::with_capacity(paths.len() * 48);
    for path in paths {
        match path {
            Path::Curve([a, b, c, d]) => {
                write!(text, "M{:.0} {:.1}C{:.0} {:.1} ", a.x, a.y, b.x, b.y)?;
                write!(text, "{:.0} {:.1} {:.0} {:.1}", c.x, c.y, d.x, d.y)?;
            }
            Path::Straight([a, b]) => write!(text, "M{:.0} {:.1}L{:.0} {:.1}", a.x, a.y, b.x, b.y)?,
        }
    }
    Ok(text)
}
