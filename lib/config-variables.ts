/** An environment variable. `default`: the value equivalent to an unset variable; null without one. */
interface Variable {
  readonly name: string;
  /** A line of Markdown; links are relative to `docs/`. */
  readonly meaning: string;
  readonly default: string | null;
}

/** Variables of one subject, in documentation order. */
export interface VariableGroup {
  readonly title: string;
  readonly variables: readonly Variable[];
}

/** Rows: name, meaning, default. */
const group = (title: string, rows: readonly (readonly [string, string, string?])[]): VariableGroup => ({
  title,
  variables: rows.map(([name, meaning, value = null]) => ({ name, meaning, default: value })),
});

const LLMS = ['OPENAI', 'ANTHROPIC', 'GOOGLE', 'OPENAI_COMPATIBLE'] as const;
const OAUTH = [
  ['SUITE', 'Google'],
  ['NOTES', 'Notion'],
  ['CHAT', 'Slack'],
] as const;

/**
 * Every variable that `readConfig` reads, except `CONNECTOR_<NAME>_URL`. The first group has the ten most important.
 */
export const VARIABLES: readonly VariableGroup[] = [
  group('The ten most important', [
    ['PORT', 'port of the API; 0 picks a free one', '3000'],
    ['DATA_DIR', 'folder of the built-in store, the generated keys and the lock', './data'],
    [
      'BASE_URL',
      'public address of the API, for links in answers and mails, and the host of [passkeys](accounts.md#passkeys); without it, that of the request or `http://localhost` and the port',
    ],
    [
      'EGRESS_ALLOW',
      'private hosts, addresses and CIDRs that steps may reach, by comma, each with an optional `:port`',
    ],
    ['MONGO_URL', 'a MongoDB (6 or newer) instead of the built-in store'],
    [
      'TRANSPORTER',
      'NATS servers that connect the processes of a cluster, `nats://` or `tls://`, see [NATS](nats.md); needs `MONGO_URL` and all keys',
    ],
    ['SERVICES', 'services that this process runs, by comma; without it, all of them'],
    [
      'MASTER_KEY',
      'root key of the secrets vault, 32 bytes or more (`openssl rand -base64 32`); without it, generated in `DATA_DIR/keys.json`',
    ],
    ['JWT_SECRET', 'signs tokens, 32 bytes or more; without it, generated likewise'],
    [
      'PRINCIPAL_KEY',
      'signs the identity of callers between services, 32 bytes or more; without it, generated likewise',
    ],
  ]),
  group('HTTP', [
    ['HOST', 'address that the API listens on', '0.0.0.0'],
    [
      'TRUST_PROXY',
      'proxies in front of the gateway, addresses and CIDRs by comma, whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted, see [operations](operations.md#behind-a-proxy)',
    ],
    ['CONSOLE', 'whether the gateway serves the web console at `/console`: `on` or `off`', 'on'],
    ['CORS_ORIGINS', 'origins that browsers may call from, by comma', '*'],
    ['RATE_LIMIT', 'requests per second for each client, or `off`', '5000'],
    ['BODY_LIMIT', 'largest JSON body, such as `512kb` or `6mb`', '6mb'],
    ['WEBHOOK_LIMIT', 'largest webhook body', '16mb'],
    ['UPLOAD_LIMIT', 'largest [file](files.md)', '64mb'],
    ['REQUEST_TIMEOUT', 'seconds after which a request is answered at the latest; streams are not limited', '55'],
  ]),
  group('Process and plans', [
    ['NODE_ENV', '`production` with `MONGO_URL` requires keys from the environment, as `TRANSPORTER` always does'],
    ['NODE_ID', 'name of this process in logs and leases; without it, host name and pid'],
    ['NAMESPACE', 'name of the message bus', 'everstep'],
    ['EXECUTOR_CAPACITY', 'runs that this process keeps in memory at once', '2000'],
    ['LEASE_SECONDS', 'seconds after which the runs of a dead process are claimed by others', '4'],
    [
      'SHUTDOWN_DELAY_SECONDS',
      'seconds for which a gateway that is stopping reports that it is not ready and still serves, so that load balancers notice',
      '0',
    ],
    ['SHUTDOWN_GRACE_SECONDS', 'seconds that steps in progress get at an orderly stop', '10'],
    [
      'RETENTION_DAYS',
      'days for which ended executions are kept, 0 for no limit, see [retention](operations.md#retention); without it, as the plans say',
    ],
    [
      'OPERATORS',
      'e-mail addresses of the people who operate the service, by comma: they see the page *System*, see [operators](operations.md#operators)',
    ],
    [
      'PLANS_FILE',
      'JSON file that changes the limits of plans: `{"free": {"active_workflows": 50}}`; null for no limit',
    ],
  ]),
  group('Keys', [
    ['JWT_PRIVATE_KEY', 'instead of `JWT_SECRET`: an Ed25519 key as PEM text'],
    ...['MASTER_KEY_PREVIOUS', 'JWT_PREVIOUS', 'PRINCIPAL_KEY_PREVIOUS'].map(
      (name) => [name, 'former keys that are still accepted, by comma, see [keys](keys.md)'] as const,
    ),
  ]),
  group('NATS, Redis and Qdrant', [
    ['NATS_TOKEN', 'token for NATS, instead of a user in `TRANSPORTER`'],
    ['NATS_NKEY_SEED', 'seed of an NKey for NATS, likewise'],
    ['NATS_CREDS', 'credentials file for NATS, likewise'],
    ['NATS_TLS_CA', 'file with the authorities that may sign the certificate of NATS'],
    ['NATS_TLS_CERT', 'file with the client certificate for NATS'],
    ['NATS_TLS_KEY', 'file with its private key'],
    ['REDIS_URL', 'a Redis (6.2 or newer) for shared rate limits and caches, see [operations](operations.md)'],
    [
      'QDRANT_URL',
      'a Qdrant for the vectors of knowledge bases, see [operations](operations.md#qdrant); without it, they are in the database',
    ],
    ['QDRANT_API_KEY', 'its API key'],
    [
      'KNOWLEDGE_INDEX_MB',
      'memory for the vectors of [knowledge bases](knowledge-search.md) that are searched, in MiB',
      '512',
    ],
  ]),
  group('Mail', [
    [
      'SMTP_URL',
      'mail server for [invitations and password resets](accounts.md#mails), and for `email_send` where it names none: `smtps://user:password@host`, `smtp://user:password@host:587` (STARTTLS) or `smtp://host?security=none`',
    ],
    ['SMTP_FROM', 'sender of those mails; needed with `SMTP_URL`'],
  ]),
  group('Language models', [
    ...LLMS.flatMap((llm) => [
      [
        `LLM_${llm}_API_KEY`,
        "API key of the installation's own models, see [operations](operations.md#language-models)",
      ] as const,
      [`LLM_${llm}_BASE_URL`, 'address of its API with the version, such as `http://localhost:11434/v1`'] as const,
      [`LLM_${llm}_MODEL`, 'model where a step names none'] as const,
    ]),
    ['LLM_PRICES_FILE', 'JSON file with prices of models, see [costs](ai.md#costs)'],
  ]),
  group('Channels', [
    [
      'VOICE_PROVIDER_API_KEY',
      'account at the provider of [voice rooms](voice.md); without it, its events are refused',
    ],
    ['VOICE_PROVIDER_API_SECRET', 'secret of that account'],
    ...['A_VERIFY_TOKEN', 'A_APP_SECRET', 'A_AUTH_TOKEN', 'B_VERIFY_TOKEN', 'B_APP_SECRET'].map(
      (key) =>
        [
          `MESSAGING_${key}`,
          'key of a [messaging channel](messaging.md), for workflows without one of their own',
        ] as const,
    ),
    ['BOT_MESSENGER_URL', 'address of the Bot API; without it, `https://api.telegram.org`'],
  ]),
  group('Sign-in', [
    [
      'FRONTEND_URL',
      'page that sign-ins in a browser end at, with the token in the fragment, see [single sign-on](sso.md); without it, `/console` under `BASE_URL`; its host is that of [passkeys](accounts.md#passkeys)',
    ],
    ['SIGNIN_SUITE_CLIENT_ID', "the installation's own OpenID client, for sign-in and registration"],
    ['SIGNIN_SUITE_CLIENT_SECRET', 'secret of that client'],
    [
      'SIGNIN_SUITE_ISSUER',
      'issuer of the OpenID provider; without it, Google Workspace: `https://accounts.google.com`',
    ],
    ['SIGNIN_SUITE_AUTHORIZE_URL', "authorization endpoint; without it, the issuer's"],
    ['SIGNIN_SUITE_TOKEN_URL', "token endpoint; without it, the issuer's"],
  ]),
  group('OAuth of connections', [
    ['OAUTH_APPS_FILE', 'JSON file of OAuth apps for all tenants, see [connections](connections.md#for-operators)'],
    ...OAUTH.flatMap(([word, provider]) => [
      [
        `OAUTH_${word}_CLIENT_ID`,
        `the installation's OAuth client at ${provider}, for [connections](connections.md)`,
      ] as const,
      [`OAUTH_${word}_CLIENT_SECRET`, 'secret of that client'] as const,
      [`OAUTH_${word}_ISSUER`, `issuer of another provider than ${provider}`] as const,
      [
        `OAUTH_${word}_AUTHORIZE_URL`,
        `authorization endpoint; without it, that of the issuer, or ${provider}'s`,
      ] as const,
      [`OAUTH_${word}_TOKEN_URL`, `token endpoint; without it, that of the issuer, or ${provider}'s`] as const,
      [
        `OAUTH_${word}_REVOKE_URL`,
        `revocation endpoint; without it, that of the issuer, or ${provider}'s where no other endpoint is set`,
      ] as const,
    ]),
  ]),
  group('Billing', [
    [
      'BILLING_PROVIDER_API_KEY',
      'account at the payment provider, see [billing](billing.md#selling-plans); without it, plans are not sold',
    ],
    ['BILLING_PROVIDER_WEBHOOK_SECRET', 'secret that its events are signed with; without it, they are refused'],
    ['BILLING_PROVIDER_PRICE_PRO', 'its price of the plan `pro`; without it, the plan is not sold'],
    ['BILLING_PROVIDER_PRICE_ENTERPRISE', 'its price of the plan `enterprise`, likewise'],
    ['BILLING_PROVIDER_URL', "address of its API; without it, the provider's own"],
    ['BILLING_GRACE_DAYS', 'days for which everything continues after a change to a lower plan', '7'],
  ]),
  group('Logs, metrics and traces', [
    ['LOG_LEVEL', 'fatal, error, warn, info, debug or trace', 'warn'],
    [
      'METRICS_PORT',
      'port of [metrics](metrics.md) for Prometheus on `HOST`, for your own network only; 0 picks a free one',
      'off',
    ],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'collector of [traces](tracing.md), such as `http://collector:4318`; without it and the next, there are no traces',
    ],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'the same with its whole path'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'headers of requests to the collector, as OpenTelemetry defines them'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'protocol of the collector', 'http/json'],
    ['OTEL_SERVICE_NAME', 'name of the service in traces', 'everstep'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'attributes of this process in traces, as OpenTelemetry defines them'],
    ['OTEL_TRACES_SAMPLER', 'sampler, as OpenTelemetry defines it', 'parentbased_always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', 'argument of the sampler: a ratio from 0 to 1'],
    ['OTEL_SDK_DISABLED', '`true` switches traces off', 'false'],
  ]),
];
