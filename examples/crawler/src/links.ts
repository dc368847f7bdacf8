/** The pages that a page links to, without fragments; of other schemes than HTTP, none. */
export function linksOf(html: string, base: string): string[] {
  const links: string[] = [];
  for (const [, href = ""] of html.matchAll(/<a\s[^>]*href="([^"]{1,2000})"/gi)) {
    if (!URL.canParse(href, base)) continue;
    const url = new URL(href, base);
    url.hash = "";
    if (url.protocol === "http:" || url.protocol === "https:") links.push(url.href);
  }
  return links;
}
