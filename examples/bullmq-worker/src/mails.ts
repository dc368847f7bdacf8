/** The data of a job. */
export interface Mail {
  readonly subject: string;
  readonly recipients: readonly string[];
}

export const QUEUE = "mails";

export async function send(upstreamUrl: string, mail: Mail): Promise<void> {
  const answer = await fetch(upstreamUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(mail),
  });
  if (!answer.ok) throw new Error(`the upstream answered ${answer.status}`);
}
