import { createServer } from "node:http";
import { BODY, listen, type Serve } from "./serve.ts";

export const serveBare: Serve = () => listen(createServer((_request, response) => void response.end(BODY)));
