//! What was measured: one table at the end, and one line for every particular in a file.

use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

/// The figures of a run.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<[String; 4]>,
    details: Vec<String>,
}

impl Table {
    /// Adds a figure with the bar that it should pass, if there is one.
    pub fn row(&mut self, section: &str, measure: &str, figure: f64, bar: &str) {
        self.text(section, measure, &format!("{figure:.4}"), bar);
    }

    /// Adds a figure that is no ratio.
    pub fn text(&mut self, section: &str, measure: &str, figure: &str, bar: &str) {
        self.rows.push([section, measure, figure, bar].map(str::to_owned));
    }

    /// Notes a particular for the file.
    pub fn detail(&mut self, line: &str) {
        self.details.push(line.to_owned());
    }

    /// Prints the table.
    pub fn print(&self) {
        let width = |column: usize| self.rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        for [section, measure, figure, bar] in &self.rows {
            println!(
                "{section:<0$}  {measure:<1$}  {figure:>2$}  {bar}",
                widths[0], widths[1], widths[2]
            );
        }
    }

    /// Writes the particulars into a folder; where they are.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write_details(&self, folder: &Path) -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let path = folder.join("details.txt");
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
        for line in &self.details {
            writeln!(file, "{line}")?;
        }
        file.flush()?;
        Ok(path)
    }
}
