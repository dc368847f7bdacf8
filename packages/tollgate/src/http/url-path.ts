/** The path of a whole URL, as it is there: without the query. */
export function pathOfUrl(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const length = url.slice(start).search(/[?#]/);
  return length < 0 ? url.slice(start) : url.slice(start, start + length);
}
