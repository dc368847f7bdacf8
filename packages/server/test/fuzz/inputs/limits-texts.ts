import { SERVICE_KINDS, type ServiceName } from "./service-kinds.ts";

/** A limits file that uses what a file can have. */
const LIMITS_TEXT = `version: 1
trustedHeaders: [x-plan]
domains:
  api:
    limits:
      client: { by: ip, rate: 1000/1s, burst: 2000, quota: 100000/1d }
      login:
        match: { method: POST, path: /login }
        by: ip
        within: [5/15m, 20/1h]
        blockFor: 10m
      key:
        match: { path: /v1/** }
        by: header.x-api-key
        rate: 600/1m
        plans: { from: header.x-plan, is: { pro: { rate: 6000/1m }, staff: unlimited } }
        keys: { acme: { rate: 50000/1m }, leaked: deny }
      llm:
        match: { path: /v1/chat }
        by: [header.x-api-key, ip]
        rate: { requests: 60/1m, tokens: 100000/1m }
        cost: { tokens: { from: header.x-estimated-tokens, otherwise: 500 } }
        mode: shadow
      export:
        match: { path: /export, query.deep: "1" }
        by: ip
        inflight: { max: 10, ttl: 30s }
      bots: { match: { header.user-agent: "*bot*", ip: [private, 203.0.113.0/24] }, quota: 1000/1h }
  edge:
    limits:
      address:
        match: { descriptor: { generic_key: public, remote_address: "*" } }
        by: remote_address
        quota: 100/1m
`;

/** Two domains, anchors and aliases. */
const ANCHORED_TEXT = `version: 1
domains:
  api:
    ignoreCase: true
    limits:
      one: &one { by: ip, within: &amount 100/1m, match: { host: "*.example.com", method: [GET, HEAD] } }
      two: *one
      three: { by: [ip, cookie.session], within: *amount, limit: deny, keys: {} }
  other: { limits: { all: { rate: 1/1s } } }
`;

const JSON_TEXT = JSON.stringify({
  version: 1,
  domains: {
    api: { limits: { client: { by: "ip", rate: "10/1s" }, path: { match: { path: "/a/*/b" }, quota: "1/1w" } } },
  },
});

/** Files like those of Envoy's reference service. */
const ENVOY_TEXT = `domain: edge
descriptors:
  - key: generic_key
    value: public
    rate_limit: { unit: minute, requests_per_unit: 1000, name: public }
    descriptors:
      - key: remote_address
        rate_limit: { unit: second, requests_per_unit: 10, replaces: [{ name: public }] }
  - key: path
    value: /v1/*
    share_threshold: true
    quota_mode: true
    rate_limit: { unit: hour, requests_per_unit: 5000 }
    metadata: { owner: { team: [a, 1, true, null] } }
  - key: client
    shadow_mode: true
    detailed_metric: true
    rate_limit: { unit: year, requests_per_unit: 4294967295 }
  - key: remote_address
    rate_limit: { unlimited: true }
`;

const MERGED_ENVOY_TEXT = `domain: edge
descriptors:
  - &base
    key: generic_key
    rate_limit: &limit { unit: day, requests_per_unit: 100 }
  - { <<: *base, key: remote_address }
  - { key: client, value: "a*b*c", rate_limit: { <<: *limit, unit: week }, descriptors: [*base] }
`;

const JSON_ENVOY_TEXT = JSON.stringify({
  domain: "edge",
  descriptors: [{ key: "client", rate_limit: { unit: "second", requests_per_unit: 3 } }],
});

/** The texts from which inputs are made. The first one is in force at the beginning and at the end. */
export const TEXTS = {
  limits: [LIMITS_TEXT, ANCHORED_TEXT, JSON_TEXT],
  envoy: [ENVOY_TEXT, MERGED_ENVOY_TEXT, JSON_ENVOY_TEXT],
} as const;

/** Those of the kind of files that a service has. */
export function textsOf(service: ServiceName): (typeof TEXTS)[keyof typeof TEXTS] {
  const { files } = SERVICE_KINDS[service];
  if (files === undefined) throw new Error(`expected a service with limits files, got ${service}`);
  return TEXTS[files];
}
