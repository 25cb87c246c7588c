//! Tells cargo where the C library is: in the folder `BLUR_LIBRARY_DIR`, or in `~/.local/lib`, where
//! `Bench/install-library` installs it by default.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=BLUR_LIBRARY_DIR");
    let folder = env::var_os("BLUR_LIBRARY_DIR").map(PathBuf::from).unwrap_or_else(|| {
        let home = env::var_os("HOME").expect("neither BLUR_LIBRARY_DIR nor HOME is set");
        PathBuf::from(home).join(".local/lib")
    });
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=dylib=BlurC");
    // Build scripts of programs that use this crate read this value as DEP_BLURC_FOLDER.
    println!("cargo:folder={}", folder.display());
}
