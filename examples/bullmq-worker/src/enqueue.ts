import { Queue } from "bullmq";
import { type Mail, QUEUE } from "./mails.js";

const queue = new Queue<Mail>(QUEUE, { connection: { url: process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379" } });
const count = Number(process.argv[2] ?? 1);
const mails = Array.from({ length: count }, (_, index) => ({
  name: "mail",
  data: { subject: `Mail ${index}`, recipients: [`reader-${index}@example.com`] },
  opts: { attempts: 3, removeOnComplete: true },
}));
await queue.addBulk(mails);
await queue.close();
console.log(`${count} mails in the queue`);
