/** Where a command prints. */
export interface Output {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}
