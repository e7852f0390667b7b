//! `crosspoint help`: a command's help, or a chapter.

use super::{Answer, Program, output};
use crate::help::{CHAPTERS, chapter};
use anyhow::{Result, bail};
use clap::{Args, CommandFactory, Parser};
use shared::text::closest;

/// Show the help of a command, or explain a task
#[derive(Args)]
pub struct Help {
    /// Command or topic; without it, the list of both
    name: Option<String>,
    /// Show the topic if a command has the same name
    #[arg(long)]
    topic: bool,
}

impl Help {
    pub fn run(self) -> Result<Answer> {
        let Some(name) = self.name.as_deref() else {
            output::print(&long_help(&[]))?;
            return Ok(Answer::Yes);
        };
        let is_command = Program::command().find_subcommand(name).is_some();
        let text = match chapter(name) {
            Some(chapter) if self.topic || !is_command => chapter.text.to_string(),
            Some(_) => long_help(&[name]) + &format!("\nTopic: crosspoint help --topic {name}\n"),
            None if is_command && !self.topic => long_help(&[name]),
            None => {
                let commands = Program::command();
                let names = || {
                    let topics = CHAPTERS.iter().map(|chapter| chapter.topic);
                    commands.get_subcommands().map(clap::Command::get_name).chain(topics)
                };
                let what = if self.topic { "topic" } else { "command or topic" };
                let near =
                    closest(name, names()).map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
                bail!("There is no {what} {name:?}.{near} `crosspoint help` lists them.");
            }
        };
        output::print(&text)?;
        Ok(Answer::Yes)
    }
}

/// Long help of the program, or of one of its commands.
fn long_help(command: &[&str]) -> String {
    let words = ["crosspoint"].iter().chain(command).chain(&["--help"]);
    Program::try_parse_from(words).err().map_or_else(String::new, |help| help.to_string())
}

/// List of topics for the program's help.
pub fn topics() -> String {
    let line = |topic: &str, title: &str| format!("  {topic:<18} {title}\n");
    let lines: String = CHAPTERS.iter().map(|chapter| line(chapter.topic, chapter.title())).collect();
    format!("Topics (crosspoint help TOPIC, or help --topic TOPIC where a command has the name):\n{lines}")
}
