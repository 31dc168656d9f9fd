//! `markdown`: a block for a prompt, as short as it may be with every description in full.
//!
//! Says everything and enforces nothing.

use crate::export::loss::Losses;
use crate::export::shape::Shape;
use crate::export::sheet::Sheet;
use crate::export::sheet::SheetKey;
use crate::export::typescript;
use crate::export::wording;

/// The block.
pub fn text(sheet: &Sheet<'_>) -> String {
    let mut text = format!("## {}\n\n", sheet.scenario);
    if let Some(description) = sheet.description {
        text.push_str(&format!("{}\n\n", description.trim()));
    }
    text.push_str("One JSON object with these keys; leave out what was not said.\n\n");
    for key in &sheet.keys {
        text.push_str(&line(key));
    }
    text
}

fn line(key: &SheetKey) -> String {
    let mut about = vec![match key.shape {
        Shape::Scalar(key_type, _) => key_type.name().to_owned(),
        Shape::Other => "string or array of strings".to_owned(),
        _ => typescript::type_of(&key.shape, &mut Losses::default()),
    }];
    about.extend(wording::unsaid(key));
    if key.required {
        about.push("required".to_owned());
    }
    about.extend(key.default.as_ref().map(|default| format!("default {default}")));
    about.extend(key.mark.map(str::to_owned));
    let description: Vec<&str> = key.description.trim().lines().map(str::trim_end).collect();
    format!(
        "- `{}` ({}): {}\n",
        key.name,
        about.join(", "),
        description.join("\n  ")
    )
}
