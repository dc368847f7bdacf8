import type { AdminSettings } from "../../src/admin/admin-settings.ts";
import { startTestService, type TestOptions, type TestService } from "./test-service.ts";

export const LOCAL_ADMIN: AdminSettings = { host: "127.0.0.1", port: 0, hosts: [], tokens: undefined };

export interface ServiceWithAdmin extends TestService {
  readonly adminUrl: string;
}

/** A service with an admin listener on any free port, closed when the test is over. */
export async function startWithAdmin(
  options: TestOptions = {},
  admin: Partial<AdminSettings> = {},
): Promise<ServiceWithAdmin> {
  return (await startTestService({ ...options, admin: { ...LOCAL_ADMIN, ...admin } })) as ServiceWithAdmin;
}
