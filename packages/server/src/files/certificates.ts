import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Server, TlsOptions } from "node:tls";
import { FilesError, readTexts } from "./read-texts.ts";
import { TextWatcher } from "./watch-texts.ts";

/** How long a client may take to agree on a connection. */
const HANDSHAKE_MS = 5_000;

/** The PEM files of all listeners. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Clients need a certificate of these authorities. `undefined`: they need none. */
  readonly clientCa: string | undefined;
}

/** What happens to files that have changed. */
export interface CertificateListener {
  readonly loaded: () => void;
  /** They do not go together, or cannot be read: the former certificate stays. */
  readonly refused: (error: unknown) => void;
}

interface Pems {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

/** The certificate of the listeners. When its files change, new connections get the new one. */
export class Certificates {
  readonly #files: TlsFiles;
  readonly #listener: CertificateListener;
  readonly #servers: Pick<Server, "setSecureContext">[] = [];
  #pems: Pems;
  readonly #watched: TextWatcher[] = [];

  private constructor(files: TlsFiles, pems: Pems, listener: CertificateListener) {
    this.#files = files;
    this.#pems = pems;
    this.#listener = listener;
  }

  /** @throws FilesError if a file cannot be read, or if the key is not that of the certificate. */
  static async open(files: TlsFiles, listener: CertificateListener): Promise<Certificates> {
    const paths = Object.values(files).filter((path): path is string => path !== undefined);
    // Before the certificate, so that no change in between is missed.
    const known = await Promise.all(paths.map(readTexts));
    const certificates = new Certificates(files, await readPems(files), listener);
    const onChange = () => certificates.#change();
    for (const [i, path] of paths.entries()) {
      certificates.#watched.push(new TextWatcher({ path, known: known[i]!, onChange, onError: listener.refused }));
    }
    return certificates;
  }

  /** What a server of TLS is made with. Clients without a certificate are refused in the handshake. */
  get options(): TlsOptions {
    const asksClients = this.#files.clientCa !== undefined;
    return {
      ...this.#pems,
      handshakeTimeout: HANDSHAKE_MS,
      ...(asksClients && { requestCert: true, rejectUnauthorized: true }),
    };
  }

  /** Gives a server the certificates that come later. */
  follow(server: Pick<Server, "setSecureContext">): void {
    this.#servers.push(server);
  }

  /** Reads the files now. */
  reload(): void {
    for (const one of this.#watched) one.check();
  }

  close(): void {
    for (const one of this.#watched) one.close();
  }

  /** A certificate whose key is not there yet is refused, and taken when the key has changed, too. */
  async #change(): Promise<void> {
    try {
      this.#pems = await readPems(this.#files);
    } catch (error) {
      this.#listener.refused(error);
      return;
    }
    for (const server of this.#servers) server.setSecureContext(this.options);
    this.#listener.loaded();
  }
}

async function readPems({ cert, key, clientCa }: TlsFiles): Promise<Pems> {
  const pems = { cert: await readPem(cert), key: await readPem(key) };
  const certificate = check("cert", "a certificate in PEM", cert, () => new X509Certificate(pems.cert));
  const privateKey = check("key", "a private key in PEM, without a passphrase", key, () => createPrivateKey(pems.key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new FilesError(`--tls-key: expected the key of the certificate in ${cert}, got another in ${key}`);
  }
  if (clientCa === undefined) return pems;
  const ca = await readPem(clientCa);
  check("client-ca", "certificates in PEM", clientCa, () => new X509Certificate(ca));
  return { ...pems, ca };
}

async function readPem(path: string): Promise<string> {
  const texts = await readTexts(path);
  return texts.map(({ text }) => text).join("\n");
}

function check<Read>(flag: string, expected: string, path: string, read: () => Read): Read {
  try {
    return read();
  } catch (cause) {
    throw new FilesError(`--tls-${flag}: expected ${expected}, got another content in ${path}`, { cause });
  }
}
