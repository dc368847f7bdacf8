/**
 * The page's script and style. The build puts the bundled ones in place of these, so that a program which is bundled
 * has the page inside.
 */
export const PAGE_FILES: { readonly script: string; readonly style: string } = { script: "", style: "" };
