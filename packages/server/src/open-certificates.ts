import { Certificates, type TlsFiles } from "./files/certificates.ts";
import type { Log } from "./log/log.ts";

/**
 * Opens the certificate of all listeners, and logs what happens to its files.
 *
 * @throws FilesError if they cannot be read, or do not go together.
 */
export function openCertificates(files: TlsFiles, log: Log): Promise<Certificates> {
  const { cert } = files;
  return Certificates.open(files, {
    loaded: () => {
      const text = `tollgate has loaded the certificate of ${cert}`;
      log({ level: "info", event: "certificate-loaded", text, fields: { certificate: cert } });
    },
    refused: (error) => {
      const { message } = error instanceof Error ? error : new Error(String(error));
      const text = `tollgate keeps its certificate: ${message}`;
      log({ level: "error", event: "certificate-refused", text, fields: { error: message } });
    },
  });
}
