import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createApp } from "./app.js";
import { Passwords } from "./passwords.js";

const passwords = new Passwords();
await passwords.set("ann@example.com", "correct horse battery staple");

// How many proxies are in front; none by default.
const app = createApp(passwords, Number(process.env["PROXIES"] ?? 0));
const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
await once(server, "listening");
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
