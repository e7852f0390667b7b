//! The jobs of the tables on training jobs: those of the gallery, and others.

use std::error::Error;

/// Jobs of the gallery.
const GALLERY: [&str; 5] = ["llama405b", "llama405b-long", "deepseek-v3", "gpt3-175b", "mixtral64"];

/// Jobs beyond the gallery: name and text.
const OTHERS: [(&str, &str); 7] = [
    ("DeepSeek-V3, one port of 64 reserved", RESERVED),
    (
        "Odd degrees: DP 45, PP 5",
        "pes = 225\nnis_per_pe = 8\n[[switch]]\nports = 64\n[job]\ntp = 8\ndp = 45\npp = 5\n[model]\nparameters = 70e9\nlayers = 80\n\
         hidden = 8192\nkv_hidden = 1024\nsequence = 8192\nglobal_batch = 900\nzero = 1\n",
    ),
    (
        "4 NICs per node: DP 64, PP 8",
        "pes = 512\nnis_per_pe = 4\n[[switch]]\nports = 64\n[job]\ntp = 8\ndp = 64\npp = 8\n[model]\nparameters = 175e9\nlayers = 96\n\
         hidden = 12288\nkv_hidden = 12288\nsequence = 2048\nglobal_batch = 1536\nzero = 1\n",
    ),
    (
        "Llama 3 405B on 128-port switches",
        "pes = 2048\nnis_per_pe = 8\n[[switch]]\nports = 128\n[job]\ntp = 8\ndp = 128\npp = 16\n[model]\nparameters = 405e9\nlayers = 126\n\
         hidden = 16384\nkv_hidden = 1024\nsequence = 8192\nglobal_batch = 2048\nzero = 1\n",
    ),
    ("EP 32, over 4 nodes", EP4),
    ("EP 128, over 16 nodes", EP16),
    (
        "CP 16, TP 8, DP 4, PP 4",
        "pes = 256\nnis_per_pe = 8\n[[switch]]\nports = 64\n[job]\ntp = 8\ncp = 16\ndp = 4\npp = 4\n[model]\nparameters = 70e9\nlayers = 80\n\
         hidden = 8192\nkv_hidden = 1024\nsequence = 131072\nglobal_batch = 64\nzero = 1\n[[collective]]\nalong = \"cp\"\n\
         algorithm = \"all-pairs\"\n",
    ),
];
const RESERVED: &str = "ports = 64\nreserve = 1";
const EP4: &str = "ep = 32";
const EP16: &str = "ep = 128";

fn preset(name: &str) -> Result<String, std::io::Error> {
    std::fs::read_to_string(format!("{}/../assets/specs/{name}.toml", env!("CARGO_MANIFEST_DIR")))
}

/// Name and spec text of each job. The name of one of the gallery is empty: its spec has it.
pub fn jobs() -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut jobs = Vec::new();
    for name in GALLERY {
        jobs.push((String::new(), preset(name)?));
    }
    for (name, text) in OTHERS {
        let text = match text {
            RESERVED => preset("deepseek-v3")?.replace("ports = 64", RESERVED),
            EP4 | EP16 => {
                preset("deepseek-v3")?.replace("ep = 64", text).replace("max_expert_nodes = 4\n", "")
            }
            text => text.to_owned(),
        };
        jobs.push((name.to_owned(), text));
    }
    Ok(jobs)
}
