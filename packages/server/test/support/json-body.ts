/** The headers of a request with JSON, as the routes for programs ask for them. */
export const JSON_BODY = { "content-type": "application/json" } as const;
