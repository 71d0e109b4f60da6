// Made by `npm run generate` of the OpenAPI document; not to be changed by hand.
// oxlint-disable max-lines
import type { CallOptions, ServerEvent } from './client.ts';

/** The version of the API that this was made of. */
export const API_VERSION = "0.1.0";

/** A valid access token. */
export type AccessTokenView = { access_token: string; token_type: string; expires_at: string | null; scopes: (string)[] };

/** The caller, and what a client shows of it. */
export type AccountView = { user: MemberView; tenant: TenantView; credential: "api_key" | "user"; session: SessionView | null; second_factor: { required: boolean; must_enrol: boolean; methods: ("passkey" | "totp" | "recovery_code")[]; passkeys: number; totp_enrolled_at: string | null; recovery_codes_left: number }; plan: { name: string; limits: Record<string, number | null> }; sign_in_methods: SignInMethods };

/** An action as its users see it. */
export type ActionView = { name: string; type: string; title: string; description: string; effect: "read" | "write"; repeatable: boolean; paged: boolean; input?: Record<string, unknown>; output?: Record<string, unknown> };

/** `duplicate`: the base had this content already; the view is of the document that has it. */
export type AddedDocument = { id: string; knowledge_base_id: string; name: string; source: DocumentSource; status: "queued" | "parsing" | "chunking" | "embedding" | "ready" | "failed"; progress: { done: number; total: number } | null; error: { code: string; message: string } | null; warnings: (string)[]; metadata: Record<string, unknown>; size: number; content_hash: string | null; pages: number | null; chunks: number; tokens: number; created_at: string; updated_at: string; duplicate?: true };

/** Where notices go. */
export type AlertChannel = { id: string; kind: "mail"; to: (string)[] } | { id: string; kind: "webhook"; url: string; secret: string | null } | { id: string; kind: "connector"; action: string; connection: string | null; input: Record<string, unknown>; text_field: string };

/** When a rule holds: of a workflow, and with `budget` of the tenant. */
export type AlertCondition = { kind: "failures_in_row"; failures: number } | { kind: "failure_rate"; percent: number; window: string; min_runs: number } | { kind: "p95_duration"; longer_than: string; window: string; min_runs: number } | { kind: "missed_schedule"; grace: string } | { kind: "long_run"; state: "running" | "waiting"; longer_than: string } | { kind: "budget"; of: "cost_usd" | "tokens" | "executions"; per: "day" | "month"; above?: number; percent_of_plan?: number };

/** What holds at present. */
export type AlertIncident = { workflow_id: string | null; workflow_name: string | null; since: string; count: number; execution_ids: (string)[]; detail: string };

/** The workflows that a rule watches: all of the tenant, or those named. */
export type AlertScope = { kind: "tenant" } | { kind: "workflows"; workflow_ids: (string)[] };

/** A rule for notices, and what holds of it at present. Times are RFC 3339. */
export type AlertView = { id: string; name: string; enabled: boolean; scope: AlertScope; condition: AlertCondition; channels: (AlertChannel)[]; quiet_period: string; muted_until: string | null; state: "ok" | "firing" | "disabled"; firing_since: string | null; incidents: (AlertIncident)[]; created_by: string | null; created_at: string; updated_at: string };

/** A platform API key without its value. */
export type ApiKeyView = { id: string; name: string; prefix: string; scope: "read" | "run" | "edit" | "admin" | "scim"; user_id: string; user: string; service_account: boolean; created_by: string; created_at: string; expires_at: string | null; rotated_at: string | null; previous_valid_until: string | null; last_used_at: string | null };

/** A step that waits: for a decision, or for a form, a signal, a time or another run. */
export type ApprovalRow = { execution_id: string; workflow_id: string; workflow_name: string; step_id: string; address: string; kind: "approval" | "batch" | "capacity" | "child" | "debounce" | "form" | "retry" | "signal" | "slot" | "connection" | "throttle" | "timer"; signal: string | null; message: string; form: unknown; truncated: boolean; approvers: (string)[]; mine: boolean; since: string; until: string | null; approve_url: string | null; reject_url: string | null; form_url: string | null };

/** The actor, as far as it is known. `service`: the installation itself; `anonymous`: a caller with a public link. */
export type AuditActorView = { type: "anonymous" | "api_key" | "service" | "user"; id: string | null; email: string | null; ip: string | null };

/** One event of a tenant's log, in its place in the chain. */
export type AuditEventView = { id: string; seq: number; at: string; actor: AuditActorView; action: string; target: { type: string; id: string; name: string | null }; before: Record<string, unknown> | null; after: Record<string, unknown> | null; outcome: "failed" | null; refers_to: string | null; request_id: string; prev_hash: string; hash: string };

/** The first fault of a chain. */
export type AuditFault = { seq: number; reason: FaultReason; message: string };

/** A webhook that gets every event of the audit log. */
export type AuditStreamView = { url: string; state: "failing" | "ok" | "paused"; next_seq: number; behind: number; last_sent_at: string | null; failing_since: string | null; error: string | null; next_attempt_at: string | null; created_at: string };

/** The result of a verification. */
export type AuditVerdict = { valid: boolean; complete: boolean; events: number; head: { seq: number; hash: string }; next_seq: number | null; first_fault?: AuditFault };

/** A fire time of a backfill. */
export type BackfillSlot = { scheduled_for: string; execution_id: string | null; outcome: "exists" | "planned" | "started" };

/** The result of a backfill, or of its dry run. */
export type BackfillView = { dry_run: boolean; data: (BackfillSlot)[]; next_from: string | null; stopped: { code: "invalid_request" | "invalid_json" | "invalid_dsl" | "invalid_input" | "invalid_query" | "unknown_secret" | "invalid_token" | "sign_in_failed" | "oauth_failed" | "unauthenticated" | "invalid_login" | "invalid_code" | "invalid_passkey" | "second_factor_challenge" | "quota_exceeded" | "forbidden" | "sso_required" | "second_factor_required" | "reauthentication_required" | "sign_in_refused" | "workflow_limit" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "slug_taken" | "connection_expired" | "connection_revoked" | "workflow_disabled" | "workflow_pending" | "execution_ended" | "execution_running" | "already_decided" | "idempotency_mismatch" | "idempotency_in_progress" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "tenant_suspended" | "rate_limited" | "start_limited" | "execution_failed" | "sealed_unreadable" | "internal" | "provider_failed" | "provider_not_configured" | "unavailable" | "timed_out"; message: string } | null };

/** Starts within the period become one run with all their triggers, as users write it. */
export type BatchDocument = { max_size: number; period: DurationText; key?: string };

/** One of several lists of steps that run side by side. */
export type BranchDocument = { id: string; steps: (StepDocument)[] };

/** The logo of a workspace. */
export type BrandLogo = { path: string; content_type: "image/png" | "image/jpeg" | "image/webp"; width: number; height: number; size: number };

/** What a workspace's public pages show of it: forms, approvals and chats. */
export type BrandingView = { name: string | null; color: string | null; logo: BrandLogo | null; updated_at: string | null };

/** How long an output counts for later runs, as users write it. */
export type CacheDocument = { ttl: DurationText; key?: string };

/** A condition and the steps for when it holds. */
export type CaseDocument = { when: boolean | string; steps: (StepDocument)[] };

/** What visitors are shown of a chat. */
export type ChatConfig = { title: string; greeting: string; input_field: string; output_field: string };

/** A workflow that visitors talk to, as its tenant sees it. */
export type ChatDeploymentView = { slug: string; workflow_id: string; title: string; greeting: string; input_field: string; output_field: string; allowed_origins: (string)[]; rate_limit: ChatPace; created_by: string; created_at: string };

/** The rate limit of a visitor. */
export type ChatPace = { per_minute: number; burst: number };

/** A chat in the list of all chats of the tenant. */
export type ChatRow = { slug: string; workflow_id: string; title: string; greeting: string; input_field: string; output_field: string; allowed_origins: (string)[]; rate_limit: ChatPace; created_by: string; created_at: string; workflow_name: string; url: string };

/** A part of a document as it is searched. `start` and `end` are offsets (UTF-16) into the document's plain text. */
export type ChunkView = { id: string; n: number; text: string; page: number | null; heading: (string)[]; start: number; end: number; tokens: number };

/** How texts are cut. Sizes are in tokens, counted roughly (see chunking). */
export type ChunkingView = { max_tokens: number; overlap_tokens: number };

/** One of two runs that are compared. */
export type ComparedRun = { id: string; workflow_def_id: string; workflow_name: string; plan_hash: string; status: ExecutionStatus; trigger_type: string; started_at: string; ended_at: string | null; duration_ms: number | null; steps: number; tokens: number; cost_usd: number; error: RunError | null; retry_of: string | null };

/** A step in one of two runs. */
export type ComparedSide = { status: StepStatus; attempts: number; started_at: string | null; duration_ms: number | null; error: RunError | null; input_tokens: number | null; output_tokens: number | null; cost_usd: number | null; loop?: LoopView };

/** A step of two runs, matched by its path. */
export type ComparedStep = { path: string; address: string; step_id: string; iteration: number | null; type: string; result: "different" | "only_in_a" | "only_in_b" | "same"; differs: ("attempts" | "error" | "input" | "loop" | "output" | "status" | "type")[]; a: ComparedSide | null; b: ComparedSide | null; input: ComparedValue | null; output: ComparedValue | null };

/** A value of two runs. Secrets are masked, so that a changed secret is no difference. */
export type ComparedValue = { same: boolean; changes: (ValueDifference)[]; more: boolean };

/** How many runs of one key go on at a time, as users write it. */
export type ConcurrencyDocument = { key?: string; name?: string; limit?: number; on_conflict?: "queue" | "skip" | "cancel_running" };

/** One member of the configuration of a custom node. */
export type ConfigField = { name: string; label: string; description: string; type: "boolean" | "json" | "number" | "secret" | "select" | "string"; required: boolean; default?: unknown; options?: (FieldOption)[] };

/** Steps that use the connection wait until these limits allow it. */
export type ConnectionLimits = { rate: { limit: number; period_seconds: number } | null; concurrency: number | null };

/** `expired`: the access token has ended, and there is no refresh token. `revoked`: the provider has rejected the refresh token. */
export type ConnectionStatus = "active" | "expired" | "revoked";

export type ConnectionTestView = { outcome: "ok" | "failed" | "untested"; message: string | null; connection: ConnectionView };

/** An account at a provider as its tenant sees it, without its credentials. */
export type ConnectionView = { id: string; kind: "manual" | "oauth"; connector: string; name: string; status: ConnectionStatus; state: "ok" | "failing" | "reconnect"; app_id: string | null; account: string | null; scopes: (string)[]; expires_at: string | null; last_error: string | null; limits: ConnectionLimits; paused_until: string | null; created_by: string; created_at: string; updated_at: string; last_used_at: string | null };

/** A connector as its users see it. */
export type ConnectorView = { name: string; title: string; description: string; category: "Control" | "Flow" | "Data" | "Code" | "HTTP" | "Storage" | "AI" | "Knowledge" | "Communication" | "Productivity" | "Project management" | "Marketing" | "CRM" | "Support" | "Commerce" | "Finance" | "Development" | "Operations" | "Content" | "Custom"; docs: string; auth: { required: boolean; oauth: { provider: string; scopes: (string)[] } | null; fields: (CredentialField)[] }; actions: (ActionView)[]; custom: boolean; revision: number | null };

/** A field of a manual connection. */
export type CredentialField = { name: string; title: string; description: string; secret: boolean; required: boolean; default?: string; example?: string; format?: "email" | "flag" | "host" | "port" | "url" };

/** A custom node as its tenant sees it. */
export type CustomNodeView = { id: string; tenant_id: string; created_by: string; created_at: string; updated_at: string; type: string; name: string; label: string; description: string; icon: string | null; color: string | null; kind: "tool" | "trigger"; config_fields: (ConfigField)[]; outputs: (OutputVariable)[]; request: Record<string, unknown>; poll?: PollPaths; version: number };

/** A row of a data set. */
export type DatasetRow = { id: string; input: unknown; expected?: unknown; tags: (string)[] };

/** The tags of the rows of a data set. */
export type DatasetTags = { tags: ({ tag: string; rows: number })[] };

/** A set of inputs with the outputs that are expected for them. */
export type DatasetView = { id: string; name: string; description: string | null; revision: number; rows: number; bytes: number; created_by: string; created_at: string; updated_at: string };

/** Numbers of a tenant's runs that began on a day, in UTC. */
export type DayFigures = { date: string; total: number; running: number; completed: number; failed: number; cancelled: number; steps: number; tokens: number; cost_usd: number };

/** Starts that follow each other within the period become one run with the last trigger, as users write it. */
export type DebounceDocument = { period: DurationText; key?: string; max_wait?: DurationText };

/** A decided approval. */
export type DecisionRow = { execution_id: string; workflow_id: string; workflow_name: string; address: string; message: string; approved: boolean; comment: string | null; by: string | null; at: string };

/** All that is kept of a delivery. */
export type DeliveryDetail = { id: string; received_at: string; source: "http" | "run" | "messaging-a" | "messaging-b"; method: string; status: number | null; signature: DeliverySignature; delivery_id: string | null; outcome: "started" | "replayed" | "refused" | "ignored"; reason: string | null; execution_id: string | null; size: number; content_type: string | null; execution_ids: (string)[]; headers: Record<string, string>; query: Record<string, unknown>; body: string; body_sha256: string | null; truncated: boolean };

/** A delivery in the list of all workflows. */
export type DeliveryRow = { id: string; received_at: string; source: "http" | "run" | "messaging-a" | "messaging-b"; method: string; status: number | null; signature: DeliverySignature; delivery_id: string | null; outcome: "started" | "replayed" | "refused" | "ignored"; reason: string | null; execution_id: string | null; size: number; content_type: string | null; workflow_id: string; workflow_name: string };

/** The result of the signature check. `none`: the endpoint requires no signature. */
export type DeliverySignature = "failed" | "none" | "not_configured" | "verified";

/** A row of a workflow's inbox. Times are RFC 3339. */
export type DeliveryView = { id: string; received_at: string; source: "http" | "run" | "messaging-a" | "messaging-b"; method: string; status: number | null; signature: DeliverySignature; delivery_id: string | null; outcome: "started" | "replayed" | "refused" | "ignored"; reason: string | null; execution_id: string | null; size: number; content_type: string | null };

/** What a process finds when it uses a dependency. */
export type DependencyState = "not_configured" | "ready" | "unavailable";

/** What the processes of the installation need. */
export type DependencyView = { name: "bus" | "database" | "mail" | "qdrant" | "redis"; state: DependencyState; faults: ({ node_id: string; reason: string })[] };

/** Where a document came from. `refresh`: how often its address is asked again, a duration such as `1d`; null for never. */
export type DocumentSource = { kind: "text" } | { kind: "upload"; filename: string; content_type: string } | { kind: "url"; url: string; refresh: string | null; checked_at: string | null; next_check_at: string | null };

/** A document of a base. What it held before is searched until what it holds now is `ready`. */
export type DocumentView = { id: string; knowledge_base_id: string; name: string; source: DocumentSource; status: "queued" | "parsing" | "chunking" | "embedding" | "ready" | "failed"; progress: { done: number; total: number } | null; error: { code: string; message: string } | null; warnings: (string)[]; metadata: Record<string, unknown>; size: number; content_hash: string | null; pages: number | null; chunks: number; tokens: number; created_at: string; updated_at: string };

/** The unpublished document of a workflow; each workflow has at most one. */
export type DraftView = { workflow_id: string; dsl: Record<string, unknown>; dsl_hash: string; base_hash: string; live_hash: string; created_by: string; updated_by: string; created_at: string; updated_at: string };

/** The differences between two documents. Steps are identified by their ids. */
export type DslDiffView = { same: boolean; steps: { added: (StepPlace)[]; removed: (StepPlace)[]; moved: ({ id: string; from: string; to: string })[]; changed: ({ id: string; changes: (ValueChange)[] })[] }; document: (ValueChange)[]; truncated: boolean };

/** `500ms`, `30s`, `1h30m`, `7d`, or a number of seconds. */
export type DurationText = string | number;

/** What a step does to the world. `pure`: nothing, it may be computed again; `read`: asks, repeating it is harmless; `write`: changes something outside. The journal is made durable before every `read` and `write`. */
export type Effect = "pure" | "read" | "write";

/** The model whose vectors a base keeps. `api_key` is a reference such as `{{ secret.NAME }}`, never a key. */
export type EmbeddingView = { provider: string; model: string; base_url: string | null; api_key: string | null; dimension: number | null };

/** Why a request was refused or failed. Programs decide by `code`, which never changes. */
export type Error = { error: string; code: ErrorCode; details?: (ErrorDetail)[]; request_id: string; execution_id?: string } & Record<string, unknown>;

export type ErrorCode = "invalid_request" | "invalid_json" | "invalid_dsl" | "invalid_input" | "invalid_query" | "unknown_secret" | "invalid_token" | "sign_in_failed" | "oauth_failed" | "unauthenticated" | "invalid_login" | "invalid_code" | "invalid_passkey" | "second_factor_challenge" | "quota_exceeded" | "forbidden" | "sso_required" | "second_factor_required" | "reauthentication_required" | "sign_in_refused" | "workflow_limit" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "slug_taken" | "connection_expired" | "connection_revoked" | "workflow_disabled" | "workflow_pending" | "execution_ended" | "execution_running" | "already_decided" | "idempotency_mismatch" | "idempotency_in_progress" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "tenant_suspended" | "rate_limited" | "start_limited" | "execution_failed" | "sealed_unreadable" | "internal" | "provider_failed" | "provider_not_configured" | "unavailable" | "timed_out";

/** One of several things that are wrong: where (a path such as `steps[2].config.url`), what, and how to mend it. */
export type ErrorDetail = { path: string; message: string; hint?: string };

/** Two evaluations over the same data set. */
export type EvaluationComparison = { a: EvaluationRow; b: EvaluationRow; pairs: number; unpaired: number; metrics: ({ name: string; mean_a: number; mean_b: number; difference: number; low: number; high: number; pass_rate_a: number; pass_rate_b: number; only_a_passed: number; only_b_passed: number; p_passes: number; p_scores: number; significant: boolean })[]; better: { total: number; rows: ({ row_id: string; score_a: number; score_b: number; difference: number; execution_a: string | null; execution_b: string | null })[] }; worse: { total: number; rows: ({ row_id: string; score_a: number; score_b: number; difference: number; execution_a: string | null; execution_b: string | null })[] } };

/** An evaluation of a workflow over the rows of a data set. */
export type EvaluationDetail = { id: string; name: string; status: "queued" | "running" | "completed" | "failed" | "cancelled" | "budget_exceeded"; error: string | null; dataset_id: string; dataset_name: string; dataset_revision: number; workflow_id: string; workflow_name: string; version: number | "live" | "draft"; dsl_hash: string; progress: { total: number; done: number }; passed: boolean | null; summary: EvaluationSummary; created_by: string; created_at: string; started_at: string | null; ended_at: string | null; metrics: (Record<string, unknown>)[]; gates: (GateResult)[]; budget: { cost_usd: number | null; tokens: number | null }; concurrency: number; row_timeout_seconds: number; input_as: "body" | "trigger"; tag: string | null; writes: "suppress" | "allow" | "pinned"; pinned: (string)[]; suppressed: (string)[] };

/** A row of an evaluation. */
export type EvaluationResult = { row_id: string; state: "pending" | "done" | "cancelled" | "skipped"; execution_id: string | null; run_status: "completed" | "failed" | "cancelled" | "timed_out" | "refused" | null; run_error: string | null; input: unknown; expected?: unknown; tags: (string)[]; output: unknown; output_truncated: boolean; score: number | null; passed: boolean | null; metrics: (MetricResult)[]; duration_ms: number | null; tokens: number; cost_usd: number; attempt: number };

/** An evaluation in lists. */
export type EvaluationRow = { id: string; name: string; status: "queued" | "running" | "completed" | "failed" | "cancelled" | "budget_exceeded"; error: string | null; dataset_id: string; dataset_name: string; dataset_revision: number; workflow_id: string; workflow_name: string; version: number | "live" | "draft"; dsl_hash: string; progress: { total: number; done: number }; passed: boolean | null; summary: EvaluationSummary; created_by: string; created_at: string; started_at: string | null; ended_at: string | null };

/** The rows evaluated so far, together. */
export type EvaluationSummary = { rows: number; passed: number; run_failures: number; errors: number; score: number | null; pass_rate: number | null; latency: { mean_ms: number | null; p50_ms: number | null; p95_ms: number | null }; tokens: number; cost_usd: number; judge_tokens: number; judge_cost_usd: number; metrics: (MetricSummary)[] };

/** The value of an expression, or why it has none. */
export type EvaluationView = { type: "array" | "boolean" | "null" | "number" | "object" | "string" | null; value: unknown; truncated: boolean; size: number; error: { message: string; source: string | null; position: number | null } | null };

/** `next_cursor`: for the page that follows; null after the last, and for lists in an order of their own. */
export type ExecutionPage = { data: (ExecutionRow)[]; limit: number; offset: number; next_cursor: string | null };

/** A row of the list. */
export type ExecutionRow = { id: string; workflow_def_id: string; status: ExecutionStatus; trigger_type: string; started_at: string; ended_at: string | null; duration_ms: number | null; workflow_name: string; error: RunError | null; waiting: (WaitingView)[]; tokens: number; cost_usd: number; retry_of: string | null; parent: string | null; labels: Record<string, string>; trial: boolean };

export type ExecutionStatus = "cancelled" | "completed" | "failed" | "running";

export type ExecutionView = { id: string; workflow_def_id: string; status: ExecutionStatus; trigger_type: string; started_at: string; ended_at: string | null; duration_ms: number | null; workflow_name: string; error: RunError | null; waiting: (WaitingView)[]; tokens: number; cost_usd: number; retry_of: string | null; parent: string | null; labels: Record<string, string>; trial: boolean; tenant_id: string; trigger: unknown; warnings: (RunWarning)[]; input: unknown; output: unknown; cut?: ("trigger" | "input" | "output")[] };

/** What is wrong at a place of the chain. */
export type FaultReason = "anchor_differs" | "changed" | "forged" | "head_changed" | "head_missing" | "misplaced" | "missing" | "unlinked";

/** One of the values that a `select` may have. */
export type FieldOption = { value: string | number; label: string };

/** A row of a list. `url`: the download address for the caller; null when there is none. */
export type FileRow = { url: string | null; path: string; name: string; size: number; content_type: string; created_at: string };

/** Who may do what with the workflows of a folder. */
export type FolderAccess = { folder: string; access: "open" | "restricted"; grants: ({ kind: "member" | "group"; id: string; name: string | null; right: "view" | "run" | "edit" | "manage" })[]; inherited: ({ folder: string; access: "open" | "restricted"; grants: ({ kind: "member" | "group"; id: string; name: string | null; right: "view" | "run" | "edit" | "manage" })[] })[]; right: "view" | "run" | "edit" | "manage"; revision: number; updated_at: string | null; updated_by: string | null };

export type GateResult = { gate: string; value: number | null; passed: boolean | null };

/** A workflow that a model has written; `errors` are those of the last try. */
export type GeneratedWorkflow = { dsl: Record<string, unknown>; valid: boolean; errors: (ErrorDetail)[]; notes: string; diff?: DslDiffView };

/** A place in a hit's text that made it a hit: offsets (UTF-16), `end` exclusive. */
export type Highlight = { start: number; end: number };

/** Why a hit is where it is: its ranks and scores in each step of the search. */
export type HitRanking = { words: { rank: number; score: number; adds: number } | null; vectors: { rank: number; score: number; adds: number } | null; fused: { rank: number; score: number }; reranked: { rank: number; score: number } | null };

/** What a process that hosts executions stores about itself with each renewal of its lease. */
export type HostExecutor = { state: "alive" | "dead" | "draining" | "left"; running: number; waiting: number; capacity: number; lag_ms: number; lease_until: string };

/** A process of the installation. Null: not known, since it does not answer. */
export type HostView = { node_id: string; state: "alive" | "disconnected" | "silent"; services: (string)[]; version: string | null; node_version: string | null; host_name: string | null; started_at: string | null; last_heartbeat_at: string | null; cpu_percent: number | null; memory_bytes: number | null; heap_bytes: number | null; event_loop_delay_ms: number | null; executor: HostExecutor | null };

/** Numbers of a tenant's runs that began in an hour, by their status now. */
export type HourFigures = { at: string; total: number; running: number; completed: number; failed: number; cancelled: number };

/** The result of an import. */
export type ImportView = { name: string; title: string; description: string; category: "Control" | "Flow" | "Data" | "Code" | "HTTP" | "Storage" | "AI" | "Knowledge" | "Communication" | "Productivity" | "Project management" | "Marketing" | "CRM" | "Support" | "Commerce" | "Finance" | "Development" | "Operations" | "Content" | "Custom"; docs: string; auth: { required: boolean; oauth: { provider: string; scopes: (string)[] } | null; fields: (CredentialField)[] }; actions: (ActionView)[]; custom: boolean; revision: number | null; base_url: string; left: (string)[] };

/** An invitation that has not been accepted, without its token. */
export type InviteView = { id: string; email: string; role: "viewer" | "member" | "admin" | "owner"; status: "expired" | "pending"; invited_by: string; created_at: string; expires_at: string };

/** An item of a source and its outcome. Times are RFC 3339. */
export type ItemView = { item: string; found_at: string; execution_id: string | null; status: "cancelled" | "completed" | "failed" | "running" | null; outcome: "fired" | "refused"; error: { code: "invalid_request" | "invalid_json" | "invalid_dsl" | "invalid_input" | "invalid_query" | "unknown_secret" | "invalid_token" | "sign_in_failed" | "oauth_failed" | "unauthenticated" | "invalid_login" | "invalid_code" | "invalid_passkey" | "second_factor_challenge" | "quota_exceeded" | "forbidden" | "sso_required" | "second_factor_required" | "reauthentication_required" | "sign_in_refused" | "workflow_limit" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "slug_taken" | "connection_expired" | "connection_revoked" | "workflow_disabled" | "workflow_pending" | "execution_ended" | "execution_running" | "already_decided" | "idempotency_mismatch" | "idempotency_in_progress" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "tenant_suspended" | "rate_limited" | "start_limited" | "execution_failed" | "sealed_unreadable" | "internal" | "provider_failed" | "provider_not_configured" | "unavailable" | "timed_out"; message: string } | null };

/** What a tenant may know of the keys of the installation. */
export type KeysState = { master: { done: boolean } };

/** The keys of the installation: facts about all of it, and none about a tenant. */
export type KeysView = { master: { key_id: string; since: string; previous: ({ key_id: string; since: string; known: boolean })[]; done: boolean; collections: (SealedCollectionView)[] }; token: { algorithm: "EdDSA" | "HS256"; previous: number }; principal: { previous: number } };

/** `mode` tells what the answer is from: `lexical` is never presented as a search by meaning. */
export type KnowledgeAnswer = { data: (KnowledgeHit)[]; mode: SearchMode; knowledge_base_id: string; warnings: (string)[]; usage?: { input_tokens: number; cost_usd: number | null } };

/** A knowledge base. `bytes`: as the plan counts them, of contents as they came, texts of chunks, and vectors. */
export type KnowledgeBaseView = { id: string; name: string; description: string | null; mode: SearchMode; embedding: EmbeddingView | null; chunking: ChunkingView; reembedding: ReembeddingView | null; documents: number; chunks: number; bytes: number; created_at: string; updated_at: string };

/** One answer of a search, the best first. `score` is comparable within one answer alone, from 0 to 1. */
export type KnowledgeHit = { document_id: string; document_name: string; chunk_id: string; text: string; score: number; page: number | null; heading: string | null; highlights: (Highlight)[]; metadata: Record<string, unknown>; url: string | null; ranking?: HitRanking };

/** A model that a provider offers. */
export type ListedModel = { id: string; name: string; provider: string };

/** A line that a step wrote into the log. */
export type LogLine = { at: string; level: "debug" | "error" | "info" | "warn"; message: string; data?: unknown };

/** The progress of a loop. */
export type LoopView = { total: number | null; begun: number; ended: number; steps: Record<string, number> };

/** A role that a mapping can assign; only owners can make owners. */
export type MappableRole = "admin" | "member" | "viewer";

/** The caller. */
export type MeView = { id: string; email: string; kind: "person" | "service"; role: "viewer" | "member" | "admin" | "owner"; active: boolean; email_verified: boolean; second_factor: boolean; sign_in: ("oidc" | "passkey" | "password" | "saml" | "suite")[]; created_at: string; last_sign_in_at: string | null; tenant_id: string; credential: "api_key" | "user"; scope: "read" | "run" | "edit" | "admin" | "scim" | null; tenant: TenantView; operator: boolean };

/** A tenant among others of its organization. */
export type MemberTenantView = { id: string; slug: string; name: string; plan: string };

/** A member, as the administrators of the tenant see it. */
export type MemberView = { id: string; email: string; kind: "person" | "service"; role: "viewer" | "member" | "admin" | "owner"; active: boolean; email_verified: boolean; second_factor: boolean; sign_in: ("oidc" | "passkey" | "password" | "saml" | "suite")[]; created_at: string; last_sign_in_at: string | null };

/** The outcome of one message. */
export type MessageOutcome = { id: string; outcome: "refused" | "replayed" | "started"; reason: string | null; execution_id: string | null };

export type MetricResult = { name: string; score: number; passed: boolean; error: string | null; reason: string | null };

/** A metric over all evaluated rows. */
export type MetricSummary = { name: string; type: string; threshold: number; mean: number | null; pass_rate: number | null; passed: number; errors: number };

/** What a tenant has used: in the month by which limits count, and day by day. */
export type MetricsView = { plan: string; limits: { active_workflows: number | null; concurrent_executions: number | null; datasets: number | null; executions_per_month: number | null; history_days: number | null; knowledge_base_mb: number | null; members: number | null; storage_mb: number | null }; overrides: ({ limit: "active_workflows" | "executions_per_month" | "concurrent_executions" | "members" | "knowledge_base_mb" | "storage_mb" | "history_days" | "datasets"; plan_value: number | null; expires_at: string | null })[]; usage: { active_workflows: number; executions_per_month: number; members: number; knowledge_base_mb: number; storage_mb: number }; period: { start: string; end: string }; executions: { total: number; running: number; completed: number; failed: number; cancelled: number }; steps: number; tokens: number; cost_usd: number; days: (DayFigures)[] };

/** How fire times that were missed are handled. */
export type MissedPolicy = "all" | "last" | "skip";

/** A platform API key with its value. */
export type NewApiKey = { id: string; name: string; prefix: string; scope: "read" | "run" | "edit" | "admin" | "scim"; user_id: string; user: string; service_account: boolean; created_by: string; created_at: string; expires_at: string | null; rotated_at: string | null; previous_valid_until: string | null; last_used_at: string | null; key: string; note: string };

/** A node type as a canvas or a client needs it. */
export type NodeTypeRow = { type: string; version: number; title: string; description: string; category: "Control" | "Flow" | "Data" | "Code" | "HTTP" | "Storage" | "AI" | "Knowledge" | "Communication" | "Productivity" | "Project management" | "Marketing" | "CRM" | "Support" | "Commerce" | "Finance" | "Development" | "Operations" | "Content" | "Custom"; kind: "control" | "tool" | "trigger" | "work"; aliases: (string)[]; effect: Effect; input: Record<string, unknown>; output: Record<string, unknown>; step: Record<string, unknown> | null; tool: { name: string; description: string; parameters: Record<string, unknown> } | null; connections: (string)[]; custom: boolean; icon: string | null; color: string | null };

/** A notice to the tenant about its plan. Times are RFC 3339. */
export type Notice = { id: string; at: string; kind: "grace_began" | "plan_changed" | "workflows_disabled"; message: string; workflows?: ({ id: string; name: string })[] };

/** A notice of one channel. Times are RFC 3339. */
export type NotificationView = { id: string; alert_id: string; kind: "opened" | "reminder" | "recovered" | "test"; workflow_id: string | null; workflow_name: string | null; subject: string; text: string; channel: { kind: "mail" | "webhook" | "connector"; target: string }; status: "pending" | "sent" | "failed" | "withheld"; attempts: number; error: string | null; created_at: string; sent_at: string | null };

/** A client at an OAuth provider, without its secret. */
export type OAuthAppView = { id: string; name: string; source: "workspace" | "operator"; preset: string | null; variables: Record<string, string>; connector: string; client_id: string; client_secret_set: boolean; authorize_url: string; token_url: string; revoke_url: string | null; scopes: (string)[]; auth_style: "basic" | "body" | "none"; pkce: boolean; hosts: (string)[]; redirect_uri: string; created_by: string | null; created_at: string | null; updated_at: string | null };

/** How a provider implements OAuth 2.0. Texts in braces are variables. */
export type OAuthPresetView = { id: string; title: string; connector: string | null; authorize_url: string; token_url: string; revoke_url: string | null; scopes: (string)[]; auth_style: "basic" | "body"; pkce: boolean; hosts: (string)[]; variables: ({ name: string; title: string; example: string; default: string | null })[]; docs: string; note: string | null };

/** Runs of all tenants that wait for the same kind of limit. */
export type OperatorQueue = { kind: "host" | "slot" | "batch" | "concurrency" | "connection" | "debounce" | "throttle"; waiting: number; oldest: string | null };

/** A tenant, as operators see it in a list. */
export type OperatorTenantRow = { id: string; slug: string; name: string; plan: string; organization_id: string | null; suspended: { since: string; reason: string } | null; created_at: string; members: number; active_workflows: number; executions_this_month: number };

/** A tenant with its limits and what it uses of them. */
export type OperatorTenantView = { id: string; slug: string; name: string; plan: string; organization_id: string | null; settings: { require_approval: boolean; require_second_factor: boolean }; suspended: { since: string; reason: string } | null; created_at: string; owners: (string)[]; limits: Record<string, number | null>; plan_limits: Record<string, number | null>; overrides: ({ limit: "active_workflows" | "executions_per_month" | "concurrent_executions" | "members" | "knowledge_base_mb" | "storage_mb" | "history_days" | "datasets"; value: number | null; expires_at: string | null; note: string; set_at: string })[]; usage: Record<string, number>; subscription: string; plan_is_sold: boolean };

/** An organization, as members of its tenants see it. */
export type OrganizationView = { id: string; name: string; home_tenant_id: string; created_at: string };

/** One member of the output: what lies at `path` in the answer, null when nothing does. */
export type OutputVariable = { name: string; path: string };

/** How a fire time is handled while the previous run is still running. */
export type OverlapPolicy = "allow" | "queue" | "skip";

/** What a browser needs to make a passkey. */
export type PasskeyCreation = { enrolment: string; options: { challenge: string; rp: { id: string; name: string }; user: { id: string; name: string; displayName: string }; pubKeyCredParams: ({ type: "public-key"; alg: number })[]; timeout: number; excludeCredentials: ({ id: string; type: "public-key"; transports: (string)[] })[]; authenticatorSelection: { residentKey: "required"; requireResidentKey: true; userVerification: "required" }; attestation: "none" }; expires_at: string };

/** What a browser needs to ask for a passkey. */
export type PasskeyRequest = { challenge: string; options: { challenge: string; rpId: string; timeout: number; userVerification: "required" | "preferred"; allowCredentials: ({ id: string; type: "public-key"; transports: (string)[] })[] }; expires_at: string };

/** A passkey of the caller. */
export type PasskeyView = { id: string; name: string; backup_eligible: boolean; backed_up: boolean; created_at: string; last_used_at: string | null };

/** A stretch of time in which a run was paused. */
export type PauseView = { started_at: string; ended_at: string | null; by: string | null; reason: string | null };

/** A plan. `available`: it can be bought here. */
export type PlanView = { name: "free" | "pro" | "enterprise"; title: string; limits: { active_workflows: number | null; concurrent_executions: number | null; datasets: number | null; executions_per_month: number | null; history_days: number | null; knowledge_base_mb: number | null; members: number | null; storage_mb: number | null }; available: boolean };

/** What a model has answered to a prompt. `data` is there when a schema was given. */
export type PlaygroundAnswer = { text: string; data?: unknown; finish_reason: string; provider: string; model: string; input_tokens: number; output_tokens: number; cost_usd: number | null };

/** Where the answer of a polled node has what: paths as of output variables, but `id`, which is a path in an item. */
export type PollPaths = { items: string | null; id: string | null; cursor: string | null };

/** A source as its tenant sees it. */
export type PollView = { type: string; every: string; paused: boolean; next_poll: string | null; last_poll_at: string | null; last_ok_at: string | null; failures: number; trouble: { code: string; message: string } | null; recent_runs: (ItemView)[]; items_seen: number };

/** The public view of a run. */
export type PublicExecutionView = { id: string; status: ExecutionStatus; started_at: string; ended_at: string | null; duration_ms: number | null; output: unknown; error: { code: "execution_failed" | "timed_out"; message: string; request_id: string | null } | null };

/** The public half of a signing key, as a JSON Web Key (RFC 7517, RFC 8037). */
export type PublicJwk = { kty: string; crv: string; x: string; kid: string; alg: string; use: string };

export type QueuePage = { data: (QueueRow)[]; limit: number; offset: number; truncated: boolean };

/** A limit of a workflow with runs that wait for it, or that it counts. Times are RFC 3339. */
export type QueueRow = { id: string; workflow_id: string; workflow_name: string; kind: "batch" | "concurrency" | "connection" | "debounce" | "throttle"; key: string | null; name: string | null; limit: number | null; period_ms: number | null; used: number; waiting: number; oldest: string | null; next_start: string | null };

/** How often runs start, as users write it; the others are refused. */
export type RateLimitDocument = { limit: number; period: DurationText; key?: string; name?: string };

export type RecentRun = { id: string; status: ExecutionStatus; trigger_type: string; started_at: string; duration_ms: number | null };

/** A change of the embedding model under way, or how the last one ended. */
export type ReembeddingView = { state: "done" | "failed" | "running"; done: number; total: number; error: { code: string; message: string } | null; started_at: string; ended_at: string | null };

/** What the registry tells everybody of a published skill. `installs`: tenants that have it now. */
export type RegistryRow = { id: string; name: string; description: string; version: string; hash: string; license: string | null; keywords: (string)[]; publisher: SkillPublisher; installs: number; bytes: number; file_count: number; published_at: string };

/** To be read before it is installed. */
export type RegistryView = { id: string; name: string; description: string; version: string; hash: string; license: string | null; keywords: (string)[]; publisher: SkillPublisher; installs: number; bytes: number; file_count: number; published_at: string; metadata: Record<string, string>; allowed_tools: (string)[]; instructions: string; files: (SkillFileView)[]; versions: (SkillVersionView)[] };

/** How a step is tried again, as users write it. */
export type RetryDocument = { max_attempts?: number; backoff?: "fixed" | "linear" | "exponential"; initial_interval?: DurationText; max_interval?: DurationText; factor?: number; jitter?: number };

/** Values of a claim or attribute, and the role that each brings; the highest one counts. */
export type RoleMapping = { claim: string; values: Record<string, MappableRole> };

/** The effect of a change of rows. */
export type RowsChange = { revision: number; rows: number; added: number; replaced: number; unchanged: number };

export type RowsFromRuns = { revision: number; rows: number; added: number; replaced: number; unchanged: number; skipped: ({ execution_id: string; reason: string })[] };

/** Why a run or a step failed; `step_id` is null when no step is to blame. */
export type RunError = { code: string; message: string; step_id: string | null };

/** A log line of an attempt of a step. */
export type RunLogLine = { at: string; level: "debug" | "error" | "info" | "warn"; message: string; data?: unknown; position: number; step_id: string; path: string; iteration: number | null; attempt: number };

/** A user's saved views of the list of runs. */
export type RunViewList = { views: ({ name: string; query: string; trials: boolean })[]; revision: number };

/** Something in the document that did not work as written; the run has started nevertheless. */
export type RunWarning = { path: string; message: string };

/** A schedule in the list of all schedules. */
export type ScheduleRow = { type: "schedule"; trigger: number; cron?: string; every?: string; timezone: string; paused: boolean; schedule_paused: boolean; next_runs: (string)[]; recent_runs: (SlotView)[]; missed_policy: MissedPolicy; window_ms: number; overlap_policy: OverlapPolicy; jitter_ms: number; id: string; workflow_id: string; workflow_name: string; workflow_enabled: boolean; next_at: string | null };

/** A schedule as its tenant sees it. */
export type ScheduleView = { type: "schedule"; trigger: number; cron?: string; every?: string; timezone: string; paused: boolean; schedule_paused: boolean; next_runs: (string)[]; recent_runs: (SlotView)[]; missed_policy: MissedPolicy; window_ms: number; overlap_policy: OverlapPolicy; jitter_ms: number };

/** How far the values of a collection are under the master key in use, when last looked at. */
export type SealedCollectionView = { name: string; state: "done" | "rotating" | "waiting"; left: number; resealed: number; unreadable: number; updated_at: string };

/** How a base is searched. `lexical`: by words alone, since no embedding model is set; `hybrid`: by words and meaning. */
export type SearchMode = "hybrid" | "lexical";

/** What a listing tells of a secret; never its value. */
export type SecretView = { name: string; created_at: string; updated_at: string };

/** The answer of register and login. */
export type Session = { token: string; user: UserView; tenant: TenantView };

/** A session of the caller. */
export type SessionView = { id: string; via: "invitation" | "oidc" | "passkey" | "password" | "registration" | "saml" | "suite"; device: string | null; address: string | null; created_at: string; last_used_at: string; expires_at: string; current: boolean };

/** How people can sign in to this installation. */
export type SignInMethods = { password: true; passkey: boolean; password_reset: boolean; suite: boolean };

/** What an uploaded bundle holds; nothing of it is stored. `warnings`: what was left out, or may surprise. */
export type SkillDraft = { instructions: string; files: (SkillFile)[]; hash: string; warnings: (string)[]; name: string; description: string; version: string | null; license: string | null; metadata: Record<string, string>; allowed_tools: (string)[] };

/** A file of a skill: its text, or its bytes in base64. Paths are relative, with `/` between folders. */
export type SkillFile = { path: string; content: string } | { path: string; base64: string };

/** A file without its content. `size` is in bytes, `sha256` in hexadecimal; `text`: it can be read as text. */
export type SkillFileView = { path: string; size: number; sha256: string; text: boolean };

/** What the registry has of a skill; `version`: the newest that can be installed. */
export type SkillPublication = { version: string | null; versions: (SkillVersionView)[] };

/** Whose skill it is. */
export type SkillPublisher = { slug: string; name: string };

/** A row of a list. `bytes`: of instructions and files. */
export type SkillRow = { id: string; hash: string; bytes: number; file_count: number; source: SkillSource | null; published_version: string | null; created_by: string; created_at: string; updated_at: string; name: string; description: string; version: string | null; license: string | null; metadata: Record<string, string>; allowed_tools: (string)[] };

/** Where an installed skill came from. The copy stays as it is, whatever becomes of that place. */
export type SkillSource = { id: string; version: string; hash: string; publisher: SkillPublisher; published_at: string; installed_at: string; modified: boolean; update_available: string | null; withdrawn: boolean };

/** A version in the registry. It never changes, and its number is not used again. */
export type SkillVersionView = { version: string; hash: string; notes: string | null; published_at: string; withdrawn_at: string | null };

/** A skill of a tenant. */
export type SkillView = { id: string; hash: string; bytes: number; file_count: number; source: SkillSource | null; published_version: string | null; created_by: string; created_at: string; updated_at: string; name: string; description: string; version: string | null; license: string | null; metadata: Record<string, string>; allowed_tools: (string)[]; instructions: string; files: (SkillFile)[]; publication: SkillPublication | null };

/** The outcome of a fire time: started in time (`fired`), started more than a minute late (`late`), not started because no process ran (`missed`), because the previous run was still running or the workflow has a `rate_limit` (`skipped`), because the workflow may not start (`refused`), or because all attempts failed (`failed`); started by hand (`manual`), or later for a range of times (`backfilled`). */
export type SlotOutcome = "backfilled" | "failed" | "fired" | "late" | "manual" | "missed" | "refused" | "skipped";

/** An entry of the schedule history. Times are RFC 3339. */
export type SlotView = { scheduled_for: string; fired_at: string; execution_id: string | null; status: "cancelled" | "completed" | "failed" | "running" | null; outcome: SlotOutcome; lag_ms: number; error: { code: "invalid_request" | "invalid_json" | "invalid_dsl" | "invalid_input" | "invalid_query" | "unknown_secret" | "invalid_token" | "sign_in_failed" | "oauth_failed" | "unauthenticated" | "invalid_login" | "invalid_code" | "invalid_passkey" | "second_factor_challenge" | "quota_exceeded" | "forbidden" | "sso_required" | "second_factor_required" | "reauthentication_required" | "sign_in_refused" | "workflow_limit" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "slug_taken" | "connection_expired" | "connection_revoked" | "workflow_disabled" | "workflow_pending" | "execution_ended" | "execution_running" | "already_decided" | "idempotency_mismatch" | "idempotency_in_progress" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "tenant_suspended" | "rate_limited" | "start_limited" | "execution_failed" | "sealed_unreadable" | "internal" | "provider_failed" | "provider_not_configured" | "unavailable" | "timed_out"; message: string } | null };

/** A tenant's single sign-on, as its owners see it: without secrets, with the addresses to enter at the provider. */
export type SsoConfigView = { provider: "oidc" | "saml"; enabled: boolean; enforce: boolean; enforce_domains: (string)[]; oidc: { issuer: string; client_id: string; client_secret_set: boolean; scopes: (string)[] } | null; saml: { entry_point: string; issuer: string; certificate: string; certificates: ({ subject: string; fingerprint_sha256: string; not_before: string; not_after: string })[] } | null; default_role: "admin" | "member" | "viewer" | null; role_mapping: RoleMapping | null; callback_url: string; metadata_url: string; created_at: string; updated_at: string };

/** A test of single sign-on, which signs no user in and creates no user. */
export type SsoTestView = { id: string; state: "waiting" | "begun" | "finished" | "expired"; started_at: string; expires_at: string; finished_at: string | null; report: { claims: ({ name: string; value: string })[]; user: { email: string; account: "existing" | "new" | "deactivated"; role: "viewer" | "member" | "admin" | "owner" | null; decided_by: "claim" | "scim" | "default" | "account" } | null; groups: (string)[]; problems: ({ severity: "error" | "warning"; where: string; message: string; action: string })[] } | null };

/** One step, as users write it. Unknown keys that begin with `x_` and the canvas's own are kept beside these. */
export type StepDocument = { id: string; type: string; name?: string; config?: Record<string, unknown>; needs?: (string)[]; if?: boolean | string; retry?: RetryDocument; timeout?: DurationText; on_error?: "fail" | "continue" | (StepDocument)[]; compensate?: (StepDocument)[]; cache?: DurationText | CacheDocument; pin?: Record<string, unknown>; cases?: (CaseDocument)[]; else?: (StepDocument)[]; branches?: (BranchDocument)[]; wait?: "all" | "any" | number; steps?: (StepDocument)[]; catch?: (StepDocument)[]; finally?: (StepDocument)[] };

/** The state of a step of the document; of one in loops, of all its items together. */
export type StepOverview = { step_id: string; path: string; type: string; status: StepStatus; counts: Record<string, number>; shown_path: string | null; attempt: number; started_at: string | null; ended_at: string | null; duration_ms: number | null; error: RunError | null; loop?: LoopView };

/** A part of a step; without `value` it has begun. */
export type StepPart = { key: string; at: string; value?: unknown };

export type StepPlace = { id: string; type: string; within: string };

export type StepStatus = "cancelled" | "completed" | "failed" | "pending" | "retrying" | "running" | "skipped" | "waiting";

/** The result of a step test. */
export type StepTestView = { execution_id: string; status: StepStatus; input: unknown; output: unknown; error: RunError | null; duration_ms: number | null; logs: ({ at: string; level: "debug" | "error" | "info" | "warn"; message: string; data?: unknown; path: string })[]; waiting: (WaitingView)[] };

/** One step as recorded; secrets are masked in `input`, `output` and `error`. */
export type StepView = { step_id: string; path: string; iteration: number | null; type: string; status: StepStatus; attempt: number; config: unknown; input: unknown; output: unknown; error: RunError | null; started_at: string | null; ended_at: string | null; duration_ms: number | null; input_tokens: number | null; output_tokens: number | null; cost_usd: number | null; feedback: { rating: string; comment: string | null } | null; attempts?: ({ attempt: number; error: RunError; started_at: string | null; ended_at: string })[]; parts?: (StepPart)[]; logs?: (LogLine)[]; loop?: LoopView; cut?: ("config" | "input" | "output")[] };

export type SubscriptionView = { plan: string; status: "none" | "active" | "trialing" | "past_due" | "unpaid" | "canceled" | "incomplete" | "incomplete_expired" | "paused"; limits: { active_workflows: number | null; concurrent_executions: number | null; datasets: number | null; executions_per_month: number | null; history_days: number | null; knowledge_base_mb: number | null; members: number | null; storage_mb: number | null }; overrides: ({ limit: "active_workflows" | "executions_per_month" | "concurrent_executions" | "members" | "knowledge_base_mb" | "storage_mb" | "history_days" | "datasets"; plan_value: number | null; expires_at: string | null })[]; usage: { active_workflows: number; executions_per_month: number; members: number; knowledge_base_mb: number; storage_mb: number }; period: { start: string; end: string }; renews_at: string | null; ends_at: string | null; grace_until: string | null; notices: (Notice)[] };

/** A tenant, as its members see it. */
export type TenantView = { id: string; slug: string; name: string; plan: string; organization_id: string | null; settings: { require_approval: boolean; require_second_factor: boolean }; suspended: { since: string; reason: string } | null; created_at: string };

/** How often runs start, as users write it; the others wait. */
export type ThrottleDocument = { limit: number; period: DurationText; key?: string; name?: string; burst?: number };

/** A stretch of time of a step. `run`: it was at work; `wait`: it waited; `pause`: it was to be tried again. */
export type TimelineSpan = { step_id: string; address: string; path: string; iteration: number | null; type: string; kind: "pause" | "run" | "wait"; attempt: number; started_at: string; ended_at: string | null; duration_ms: number | null; outcome: "cancelled" | "completed" | "failed" | "interrupted" | "resumed" | "waits" | null; loop?: LoopView };

/** A run of a document that is not saved. */
export type TrialView = { id: string; workflow_def_id: string; status: ExecutionStatus; trigger_type: string; started_at: string; ended_at: string | null; duration_ms: number | null; workflow_name: string; error: RunError | null; waiting: (WaitingView)[]; tokens: number; cost_usd: number; retry_of: string | null; parent: string | null; labels: Record<string, string>; trial: boolean; tenant_id: string; trigger: unknown; warnings: (RunWarning)[]; input: unknown; output: unknown; cut?: ("trigger" | "input" | "output")[]; pinned: (string)[]; suppressed: (string)[] };

/** What starts a run, as users write it. */
export type TriggerDocument = { type: string; config?: Record<string, unknown> };

export type TriggerView = PollView | ScheduleView;

/** Usage by workflow, by model and by day. */
export type UsageBreakdown = { from: string; to: string; workflows: (UsageByWorkflow)[]; models: (UsageByModel)[]; days: (UsageOfDay)[] };

/** What steps have used of a model. */
export type UsageByModel = { provider: string; model: string | null; calls: number; input_tokens: number; output_tokens: number; cost_usd: number };

/** What the runs of a workflow have used. */
export type UsageByWorkflow = { workflow_id: string; workflow_name: string; runs: number; failed: number; steps: number; duration_ms: number; tokens: number; cost_usd: number };

/** What runs that ended on a day have used. */
export type UsageOfDay = { date: string; runs: number; failed: number; steps: number; duration_ms: number; tokens: number; cost_usd: number };

/** A workflow that uses something, and where. */
export type UsedByRow = { workflow_id: string; workflow_name: string; places: ({ path: string; step_id: string | null })[] };

/** A user, as every answer shows it. */
export type UserView = { id: string; email: string; role: "viewer" | "member" | "admin" | "owner"; tenant_id: string };

/** A value at a path of a document; what is absent on one side is left out there. */
export type ValueChange = { path: string; before?: unknown; after?: unknown };

/** A place at which the values of two runs differ. */
export type ValueDifference = { path: string; a?: unknown; b?: unknown; cut: boolean };

/** A named constant of expressions: `{{ vars.<name> }}`. */
export type VariableView = { name: string; value: unknown; updated_at: string };

/** A saved version without its DSL. Version numbers of a workflow increase by one. */
export type VersionRow = { version: number; message: string | null; dsl_hash: string; created_by: string; author: string | null; created_at: string };

export type VersionView = { version: number; message: string | null; dsl_hash: string; created_by: string; author: string | null; created_at: string; dsl: Record<string, unknown> };

/** The outcome of an event of a voice room. */
export type VoiceOutcome = { event: string; outcome: "ignored" | "refused" | "started"; reason: string | null; execution_id: string | null };

/** One thing that a run waits for. Times are RFC 3339. */
export type WaitingView = { step_id: string | null; kind: "paused" | "approval" | "batch" | "capacity" | "child" | "debounce" | "form" | "retry" | "signal" | "slot" | "connection" | "throttle" | "timer"; name: string | null; since: string; until: string | null; message?: string; form_url?: string | null; by?: string | null; reason?: string | null };

/** The processes that host executions, as one: what a tenant may know of them. */
export type WorkerPool = { id: "executors"; state: "full" | "healthy" | "unavailable"; capacity_used: number };

/** A workflow, as users write it; `validateDocument` has found no error in one of this type. */
export type WorkflowDocument = { id: string; name?: string; description?: string; trigger?: TriggerDocument; triggers?: (TriggerDocument)[]; steps: (StepDocument)[]; retry?: RetryDocument; timeout?: DurationText; on_error?: (StepDocument)[]; inputs?: Record<string, unknown>; concurrency?: ConcurrencyDocument; throttle?: ThrottleDocument; rate_limit?: RateLimitDocument; debounce?: DebounceDocument; batch?: BatchDocument; priority?: number | string; labels?: Record<string, string | number | boolean>; output?: unknown };

/** The file that export writes and import takes. */
export type WorkflowFile = { format: "everstep.workflow"; format_version: 1; exported_at: string; workflow: { name: string; description: string; tags?: (string)[]; folder?: string; env: "dev" | "staging" | "production"; dsl: Record<string, unknown> } };

export type WorkflowHealth = { workflow_id: string; name: string; status: WorkflowStatus; enabled: boolean; window_hours: number; total: number; completed: number; failed: number; cancelled: number; running: number; waiting: number; success_rate: number | null; p50_ms: number | null; p95_ms: number | null; last_execution_at: string | null; last_error: string | null };

export type WorkflowKeyView = { id: string; name: string; prefix: string; created_at: string; last_used_at: string | null };

export type WorkflowRow = { id: string; name: string; description: string; env: "dev" | "staging" | "production"; status: WorkflowStatus; enabled: boolean; version: number; tags: (string)[]; folder: string; triggers: (string)[]; next_start: string | null; success_rate: number | null; recent_runs: (RecentRun)[]; created_at: string; updated_at: string };

export type WorkflowStatus = "active" | "pending_approval";

/** A workflow as its tenant sees it. `webhook_api_key` is masked but for its last four characters. */
export type WorkflowView = { id: string; tenant_id: string; name: string; description: string; tags: (string)[]; folder: string; env: "dev" | "staging" | "production"; dsl: Record<string, unknown>; dsl_hash: string; status: WorkflowStatus; enabled: boolean; version: number; webhook_api_key: string | null; webhook_api_key_set: boolean; created_by: string; created_at: string; updated_at: string; warnings?: (ErrorDetail)[] };

/** Every operation, by service. */
export interface Api {
  webhooks: {
    /** Starts a workflow that has an http trigger */
    start(given: { id: string; body?: unknown }, options?: CallOptions): Promise<{ execution_id: string; status: ExecutionStatus }>;
    /** Answers a provider's challenge; without one, starts the workflow */
    verify(given: { id: string; challenge?: string; "hub.challenge"?: string; validationToken?: string }, options?: CallOptions): Promise<null | { execution_id: string; status: ExecutionStatus }>;
    /** Starts any workflow, with a key of its own; `wait=1` answers at its end */
    run(given: { id: string; wait?: "1" | "true" | "0" | "false"; body?: unknown }, options?: CallOptions): Promise<unknown>;
    /** Starts a workflow and answers with its result */
    start_and_wait(given: { id: string; body?: unknown }, options?: CallOptions): Promise<unknown>;
  };
  channels: {
    /** Events of voice rooms, signed by the provider */
    voice_event(given?: { body?: unknown }, options?: CallOptions): Promise<VoiceOutcome>;
    /** Sends a message by a bot, to see whether its token and the chat are right */
    test_bot(given: { body: { bot_token: string; chat_id: string | number; message?: string } }, options?: CallOptions): Promise<{ ok: true; message_id: number | null }>;
    /** Webhook deliveries of all workflows, newest first */
    all_deliveries(given?: { limit?: number; offset?: number; cursor?: string; outcome?: "started" | "replayed" | "refused" | "ignored"; source?: "http" | "run" | "messaging-a" | "messaging-b"; workflow_id?: string }, options?: CallOptions): Promise<{ data: (DeliveryRow)[]; limit: number; offset: number; next_cursor: string | null }>;
    /** Webhook deliveries of a workflow, newest first */
    deliveries(given: { id: string; limit?: number; offset?: number; cursor?: string; outcome?: "started" | "replayed" | "refused" | "ignored"; source?: "http" | "run" | "messaging-a" | "messaging-b" }, options?: CallOptions): Promise<{ data: (DeliveryView)[]; limit: number; offset: number; next_cursor: string | null }>;
    /** A delivery with its body */
    delivery(given: { id: string; delivery_id: string }, options?: CallOptions): Promise<DeliveryDetail>;
    /** Starts the workflow again with the recorded delivery */
    redeliver(given: { id: string; delivery_id: string }, options?: CallOptions): Promise<{ execution_id: string; execution_ids: (string)[] }>;
  };
  billing: {
    /** Events of the billing provider, signed by it */
    receive(given?: { body?: unknown }, options?: CallOptions): Promise<{ received: true }>;
    /** The plans, with their limits */
    plans(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (PlanView)[]; limit: number; offset: number }>;
    /** The tenant's plan, its limits and its usage */
    subscription(given?: Record<string, never>, options?: CallOptions): Promise<SubscriptionView>;
    /** The tenant's usage, against its limits and day by day */
    metrics(given?: Record<string, never>, options?: CallOptions): Promise<MetricsView>;
    /** Creates a checkout page for a plan */
    checkout(given: { body: { plan: "pro" | "enterprise" } }, options?: CallOptions): Promise<{ url: string; session_id: string }>;
    /** Creates a page for invoices, plan changes and cancellation */
    portal(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<{ url: string }>;
  };
  messaging: {
    /** Answers the provider that asks whose address this is, by the verify token */
    verify_messaging_a(given: { id: string; "hub.mode"?: string; "hub.verify_token"?: string; "hub.challenge"?: string }, options?: CallOptions): Promise<string>;
    /** Messages of people, signed by the provider, start the workflow */
    receive_messaging_a(given: { id: string; body?: unknown }, options?: CallOptions): Promise<{ data: (MessageOutcome)[]; ignored: (string)[] }>;
    /** Answers the provider that asks whose address this is, by the verify token */
    verify_messaging_b(given: { id: string; "hub.mode"?: string; "hub.verify_token"?: string; "hub.challenge"?: string }, options?: CallOptions): Promise<string>;
    /** Messages of people, signed by the provider, start the workflow */
    receive_messaging_b(given: { id: string; body?: unknown }, options?: CallOptions): Promise<{ data: (MessageOutcome)[]; ignored: (string)[] }>;
  };
  ai: {
    /** Models that a provider offers to a key */
    models(given?: { provider?: "openai" | "anthropic" | "google" | "openai-compatible"; model?: string; api_key?: string; base_url?: string; limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (ListedModel)[]; limit: number; offset: number }>;
    /** One prompt, without a workflow */
    playground(given?: { body?: { provider?: "openai" | "anthropic" | "google" | "openai-compatible"; model?: string; api_key?: string; base_url?: string } }, options?: CallOptions): Promise<PlaygroundAnswer>;
    /** A workflow written from a description, or changed by one */
    generate(given: { body: { provider?: "openai" | "anthropic" | "google" | "openai-compatible"; model?: string; api_key?: string; base_url?: string; prompt: string; dsl?: Record<string, unknown> } }, options?: CallOptions): Promise<GeneratedWorkflow>;
  };
  alerts: {
    /** Rules for notices, by name, and what holds of them */
    list(given?: { limit?: number; offset?: number; workflow_id?: string }, options?: CallOptions): Promise<{ data: (AlertView)[]; limit: number; offset: number }>;
    /** Creates a rule for notices */
    create(given: { body: { name: string; enabled?: boolean; scope?: { kind: "tenant" | "workflows"; workflow_ids?: (string)[] }; condition: { kind: "failures_in_row" | "failure_rate" | "p95_duration" | "missed_schedule" | "long_run" | "budget"; failures?: number; percent?: number; window?: string; min_runs?: number; longer_than?: string; grace?: string; state?: "running" | "waiting"; of?: "cost_usd" | "tokens" | "executions"; per?: "day" | "month"; above?: number; percent_of_plan?: number }; channels: ({ id?: string; kind: "mail" | "webhook" | "connector"; to?: (string)[]; url?: string; secret?: string | null; action?: string; connection?: string | null; input?: Record<string, unknown>; text_field?: string })[]; quiet_period?: string } }, options?: CallOptions): Promise<AlertView>;
    /** A rule for notices, and what holds of it */
    get(given: { id: string }, options?: CallOptions): Promise<AlertView>;
    /** Replaces a rule for notices */
    update(given: { id: string; body: { name: string; enabled?: boolean; scope?: { kind: "tenant" | "workflows"; workflow_ids?: (string)[] }; condition: { kind: "failures_in_row" | "failure_rate" | "p95_duration" | "missed_schedule" | "long_run" | "budget"; failures?: number; percent?: number; window?: string; min_runs?: number; longer_than?: string; grace?: string; state?: "running" | "waiting"; of?: "cost_usd" | "tokens" | "executions"; per?: "day" | "month"; above?: number; percent_of_plan?: number }; channels: ({ id?: string; kind: "mail" | "webhook" | "connector"; to?: (string)[]; url?: string; secret?: string | null; action?: string; connection?: string | null; input?: Record<string, unknown>; text_field?: string })[]; quiet_period?: string } }, options?: CallOptions): Promise<AlertView>;
    /** Deletes a rule for notices */
    remove(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Holds back the notices of a rule until a time; null: sends them again */
    mute(given: { id: string; body: { until: string | null } }, options?: CallOptions): Promise<AlertView>;
    /** Sends a notice that is marked as a test to every channel of a rule */
    test(given: { id: string }, options?: CallOptions): Promise<{ data: (NotificationView)[] }>;
    /** Notices of a rule, newest first */
    notifications(given: { id: string; limit?: number; offset?: number; cursor?: string; kind?: "opened" | "reminder" | "recovered" | "test" }, options?: CallOptions): Promise<{ data: (NotificationView)[]; limit: number; offset: number; next_cursor: string | null }>;
  };
  audit: {
    /** Who did what, newest first; by `actor`, `action`, `target`, `from`, `to` */
    list(given?: { limit?: number; offset?: number; cursor?: string; actor?: string; action?: string; target?: string; from?: string; to?: string; format?: "json" | "csv" }, options?: CallOptions): Promise<{ data: (AuditEventView)[]; limit: number; offset: number; next_cursor: string | null }>;
    /** What operators did, newest first */
    operator_list(given?: { limit?: number; cursor?: string; actor?: string; action?: string; target?: string; from?: string; to?: string }, options?: CallOptions): Promise<{ data: (AuditEventView)[]; next_cursor: string | null }>;
    /** Where events are sent, and how far it is */
    stream(given?: Record<string, never>, options?: CallOptions): Promise<{ stream: AuditStreamView | null }>;
    /** Sends each event to a webhook, in their order */
    set_stream(given: { body: { url: string; secret?: string | null; from_seq?: number } }, options?: CallOptions): Promise<{ url: string; state: "failing" | "ok" | "paused"; next_seq: number; behind: number; last_sent_at: string | null; failing_since: string | null; error: string | null; next_attempt_at: string | null; created_at: string; secret: string | null }>;
    /** Sends no more events to the webhook */
    remove_stream(given?: Record<string, never>, options?: CallOptions): Promise<void>;
    /** Sends no events until the stream is resumed; none is lost */
    pause_stream(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<AuditStreamView>;
    /** Sends the events since the pause, and those that follow */
    resume_stream(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<AuditStreamView>;
    /** Sends one message of the type `audit.test`, and returns the answer of the receiver */
    test_stream(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<{ delivered: boolean; status: number | null; error: string | null; duration_ms: number }>;
    /** Whether the log is what was written, from `from_seq` on, and passes through an `anchor` */
    verify(given?: { from_seq?: number; anchor?: string }, options?: CallOptions): Promise<AuditVerdict>;
  };
  auth: {
    /** Public keys of access tokens; none where secrets sign */
    jwks(given?: Record<string, never>, options?: CallOptions): Promise<{ keys: (PublicJwk)[] }>;
    /** Creates a tenant and its owner */
    register(given: { body: { tenant_slug: string; tenant_name: string; email: string; password: string } }, options?: CallOptions): Promise<Session>;
    /** Signs in with a password; returns an access token */
    login(given: { body: { tenant_slug: string; email: string; password: string } }, options?: CallOptions): Promise<Session>;
    /** The caller's tenant */
    tenant(given?: Record<string, never>, options?: CallOptions): Promise<TenantView>;
    /** Changes settings */
    update_settings(given?: { body?: { require_approval?: boolean; require_second_factor?: boolean } }, options?: CallOptions): Promise<TenantView>;
    /** Creates an API key; its value is shown once */
    create_api_key(given: { body: { name: string; scope?: "read" | "run" | "edit" | "admin" | "scim"; expires_at?: string | null; service_account_id?: string | null } }, options?: CallOptions): Promise<NewApiKey>;
    /** Lists API keys */
    list_api_keys(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (ApiKeyView)[]; limit: number; offset: number }>;
    /** Gives an API key another value, which is shown once */
    rotate_api_key(given: { id: string; body?: { overlap_seconds?: number; expires_at?: string | null } }, options?: CallOptions): Promise<NewApiKey>;
    /** Revokes an API key */
    revoke_api_key(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Name, logo and colour on the public pages of the workspace */
    branding(given?: Record<string, never>, options?: CallOptions): Promise<BrandingView>;
    /** Changes name, logo and colour of the public pages */
    update_branding(given?: { body?: { name?: string | null; color?: string | null; logo?: string | null } }, options?: CallOptions): Promise<BrandingView>;
    /** Makes a link that downloads a file once, without a credential */
    create_download(given: { body: { path: string } }, options?: CallOptions): Promise<{ url: string; expires_at: string }>;
    /** The tenants by slug; `q`: a part of the slug or the name, or an id */
    operator_tenants(given?: { q?: string; plan?: "free" | "pro" | "enterprise"; limit?: number; cursor?: string }, options?: CallOptions): Promise<{ data: (OperatorTenantRow)[]; next_cursor: string | null }>;
    /** A tenant with its limits and its usage */
    operator_tenant(given: { id: string }, options?: CallOptions): Promise<OperatorTenantView>;
    /** Changes the plan of a tenant; the audit log of the tenant has the reason, too */
    operator_set_plan(given: { id: string; body: { plan: "free" | "pro" | "enterprise"; reason: string } }, options?: CallOptions): Promise<OperatorTenantView>;
    /** Sets one limit of a tenant instead of that of its plan; the audit log of the tenant has the note, too */
    operator_set_limit(given: { id: string; limit: string; body: { value: number | null; expires_at?: string | null; note: string } }, options?: CallOptions): Promise<OperatorTenantView>;
    /** Gives a tenant the limit of its plan again */
    operator_remove_limit(given: { id: string; limit: string }, options?: CallOptions): Promise<OperatorTenantView>;
    /** Suspends a tenant: no run starts or goes on, and its members only read; they see the reason */
    operator_suspend(given: { id: string; body: { reason: string } }, options?: CallOptions): Promise<OperatorTenantView>;
    /** Ends the suspension of a tenant: its runs go on, and new ones start */
    operator_reopen(given: { id: string; body: { reason: string } }, options?: CallOptions): Promise<OperatorTenantView>;
    /** Creates an organization, with the caller's tenant as its home */
    create_organization(given: { body: { name: string } }, options?: CallOptions): Promise<OrganizationView>;
    /** The organization of the caller's tenant */
    organizations(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (OrganizationView)[]; limit: number; offset: number }>;
    /** An organization with its tenants */
    organization(given: { id: string }, options?: CallOptions): Promise<{ id: string; name: string; home_tenant_id: string; created_at: string; tenants: (MemberTenantView)[] }>;
    /** Adds a tenant that the caller owns too */
    assign_tenant(given: { id: string; tenant_id: string; body?: { owner_token?: string } }, options?: CallOptions): Promise<{ id: string; name: string; home_tenant_id: string; created_at: string; tenants: (MemberTenantView)[] }>;
    /** Removes a tenant from an organization; by its owner, or by the home tenant */
    release_tenant(given: { id: string; tenant_id: string }, options?: CallOptions): Promise<void>;
    /** The caller's saved views of the list of runs */
    run_views(given?: Record<string, never>, options?: CallOptions): Promise<RunViewList>;
    /** Replaces the caller's saved views of the list of runs */
    put_run_views(given: { body: { views: ({ name: string; query: string; trials: boolean })[]; revision: number } }, options?: CallOptions): Promise<RunViewList>;
    /** Who the credential belongs to */
    me(given?: Record<string, never>, options?: CallOptions): Promise<MeView>;
    /** The user, the session, the second factors, the tenant with its plan, and what this installation offers */
    account(given?: Record<string, never>, options?: CallOptions): Promise<AccountView>;
    /** How people can sign in to this installation */
    sign_in_methods(given?: Record<string, never>, options?: CallOptions): Promise<SignInMethods>;
    /** Ends the token's session; with `everywhere`, all of the user's */
    logout(given?: { body?: { everywhere?: boolean } }, options?: CallOptions): Promise<void>;
    /** The caller's sessions, newest first */
    list_sessions(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (SessionView)[]; limit: number; offset: number }>;
    /** Ends all of the caller's sessions but the one that asks */
    end_other_sessions(given?: Record<string, never>, options?: CallOptions): Promise<void>;
    /** Ends a session of the caller */
    end_session(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Changes the password; the other sessions end */
    change_password(given: { body: { current_password: string; new_password: string } }, options?: CallOptions): Promise<Session>;
    /** Mails a link to set a new password, if there is such an account */
    request_password_reset(given: { body: { tenant_slug: string; email: string } }, options?: CallOptions): Promise<{ message: string }>;
    /** Sets a new password by the token of a mail */
    confirm_password_reset(given: { body: { token: string; password: string } }, options?: CallOptions): Promise<void>;
    /** Confirms an e-mail address by the token of a mail */
    verify_email(given: { body: { token: string } }, options?: CallOptions): Promise<{ email: string; email_verified: true }>;
    /** Mails the link that confirms the address anew */
    resend_verification(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<{ email: string; email_verified: boolean }>;
    /** Completes a sign-in with the second factor of its user */
    complete_sign_in(given: { body: { challenge: string; code?: string; recovery_code?: string; passkey?: { id: string; rawId: string; type: "public-key"; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null } } } }, options?: CallOptions): Promise<Session>;
    /** Confirms who is at the session, for changes of second factors in the next ten minutes */
    confirm_identity(given?: { body?: { password?: string; code?: string; recovery_code?: string; passkey?: { id: string; rawId: string; type: "public-key"; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null } }; challenge?: string } }, options?: CallOptions): Promise<void>;
    /** Makes a secret for an authenticator app */
    begin_totp(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<{ secret: string; uri: string; enrolment: string; expires_at: string }>;
    /** Removes the authenticator app; the recovery codes go with the last second factor */
    remove_totp(given?: Record<string, never>, options?: CallOptions): Promise<void>;
    /** Adds the authenticator app as second factor; the other sessions end */
    confirm_totp(given: { body: { enrolment: string; code: string } }, options?: CallOptions): Promise<{ recovery_codes: (string)[] | null }>;
    /** Replaces the recovery codes */
    renew_recovery_codes(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<{ recovery_codes: (string)[] }>;
    /** Removes the second factors of a member who has lost them, and ends the sessions of the member */
    reset_member_factor(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Makes a challenge for a sign-in with a passkey alone */
    begin_passkey_sign_in(given?: { body?: { tenant_slug?: string; email?: string } }, options?: CallOptions): Promise<PasskeyRequest>;
    /** Signs in with a passkey alone; returns an access token */
    passkey_sign_in(given: { body: { challenge: string; passkey: { id: string; rawId: string; type: "public-key"; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null } } } }, options?: CallOptions): Promise<Session>;
    /** What a browser needs to complete a sign-in with a passkey as second factor */
    begin_passkey_factor(given: { body: { challenge: string } }, options?: CallOptions): Promise<PasskeyRequest>;
    /** Makes a challenge to confirm with a passkey who is at the session */
    begin_passkey_confirmation(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<PasskeyRequest>;
    /** What a browser needs to make a passkey */
    begin_passkey(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<PasskeyCreation>;
    /** Adds a passkey; with the first second factor, the other sessions end */
    add_passkey(given: { body: { enrolment: string; passkey: { id: string; rawId: string; type: "public-key"; response: { clientDataJSON: string; attestationObject: string; transports?: (string)[] } }; name?: string } }, options?: CallOptions): Promise<{ passkey: PasskeyView; recovery_codes: (string)[] | null }>;
    /** The caller's passkeys, oldest first */
    list_passkeys(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (PasskeyView)[]; limit: number; offset: number }>;
    /** Renames a passkey */
    rename_passkey(given: { id: string; body: { name: string } }, options?: CallOptions): Promise<PasskeyView>;
    /** Removes a passkey; the recovery codes go with the last second factor */
    remove_passkey(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Single sign-on, without secrets */
    sso_config(given?: Record<string, never>, options?: CallOptions): Promise<SsoConfigView>;
    /** Sets up single sign-on by OpenID Connect or SAML */
    update_sso(given: { body: { provider: "oidc" | "saml"; enabled?: boolean; enforce?: boolean; enforce_domains?: (string)[]; oidc?: { issuer: string; client_id: string; client_secret?: string | null; scopes?: string | (string)[] } | null; saml?: { entry_point: string; issuer: string; certificate: string } | null; default_role?: "viewer" | "member" | "admin" | null; role_mapping?: { claim: string; values: Record<string, "viewer" | "member" | "admin"> } | null } }, options?: CallOptions): Promise<{ provider: "oidc" | "saml"; enabled: boolean; enforce: boolean; enforce_domains: (string)[]; oidc: { issuer: string; client_id: string; client_secret_set: boolean; scopes: (string)[] } | null; saml: { entry_point: string; issuer: string; certificate: string; certificates: ({ subject: string; fingerprint_sha256: string; not_before: string; not_after: string })[] } | null; default_role: "admin" | "member" | "viewer" | null; role_mapping: RoleMapping | null; callback_url: string; metadata_url: string; created_at: string; updated_at: string; warnings: (ErrorDetail)[] }>;
    /** Ends single sign-on */
    remove_sso(given?: Record<string, never>, options?: CallOptions): Promise<void>;
    /** Starts a test of single sign-on, also while it is not enabled */
    start_sso_test(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<{ id: string; state: "waiting" | "begun" | "finished" | "expired"; started_at: string; expires_at: string; finished_at: string | null; report: { claims: ({ name: string; value: string })[]; user: { email: string; account: "existing" | "new" | "deactivated"; role: "viewer" | "member" | "admin" | "owner" | null; decided_by: "claim" | "scim" | "default" | "account" } | null; groups: (string)[]; problems: ({ severity: "error" | "warning"; where: string; message: string; action: string })[] } | null; url: string }>;
    /** What a test of single sign-on has brought */
    sso_test(given: { id: string }, options?: CallOptions): Promise<SsoTestView>;
    /** Whether a tenant has single sign-on, and by which kind of provider */
    sso_check(given: { tenant_slug: string; email?: string }, options?: CallOptions): Promise<{ enabled: boolean; provider: "oidc" | "saml" | null; enforce: boolean }>;
    /** Members and their roles */
    members(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (MemberView)[]; limit: number; offset: number }>;
    /** Invites a person by e-mail */
    invite(given: { body: { email: string; role: "viewer" | "member" | "admin" | "owner" } }, options?: CallOptions): Promise<{ id: string; email: string; role: "viewer" | "member" | "admin" | "owner"; status: "expired" | "pending"; invited_by: string; created_at: string; expires_at: string; invite_url: string; mailed: boolean }>;
    /** Invitations that are not accepted yet */
    invites(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (InviteView)[]; limit: number; offset: number }>;
    /** Withdraws an invitation */
    withdraw_invite(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Creates a service account: a member that has API keys, and cannot sign in */
    create_service_account(given: { body: { name: string; role: "viewer" | "member" | "admin" } }, options?: CallOptions): Promise<MemberView>;
    /** Creates the user of an invitation, and signs the user in */
    accept_invite(given: { body: { token: string; password: string } }, options?: CallOptions): Promise<Session>;
    /** Changes the role of a member */
    set_role(given: { id: string; body: { role: "viewer" | "member" | "admin" | "owner" } }, options?: CallOptions): Promise<MemberView>;
    /** Ends all sessions of a member; only owners end those of owners */
    end_member_sessions(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Removes a member with its API keys */
    remove_member(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Our SAML metadata for a tenant */
    sso_metadata(given: { tenant_slug: string }, options?: CallOptions): Promise<string>;
  };
  connections: {
    /** Providers whose endpoints are known */
    presets(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (OAuthPresetView)[]; limit: number; offset: number }>;
    /** Registered OAuth apps */
    list_apps(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (OAuthAppView)[]; limit: number; offset: number }>;
    /** Registers an OAuth app of a preset, or of any provider */
    create_app(given: { body: { name: string; preset?: string; variables?: Record<string, string>; custom?: { authorize_url: string; token_url: string; revoke_url?: string; issuer?: string; auth_style?: "basic" | "body" | "none"; pkce?: boolean; scope_separator?: " " | ","; token_format?: "form" | "json"; authorize_params?: Record<string, string>; token_paths?: { access_token?: string; refresh_token?: string; expires_in?: string; scope?: string }; account?: { url: string; id: string; name: string } }; client_id: string; client_secret?: string; scopes?: (string)[]; hosts?: (string)[] } }, options?: CallOptions): Promise<OAuthAppView>;
    /** An OAuth app, without its secret */
    get_app(given: { id: string }, options?: CallOptions): Promise<OAuthAppView>;
    /** Changes the name, secret, scopes or hosts of an OAuth app */
    update_app(given: { id: string; body?: { name?: string; client_secret?: string; scopes?: (string)[]; hosts?: (string)[] } }, options?: CallOptions): Promise<OAuthAppView>;
    /** Deletes an OAuth app that has no connections */
    remove_app(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Starts connecting an account with an OAuth app; returns an address for a browser, valid once */
    authorize_app(given: { id: string; body?: { name?: string; connection?: string; scopes?: (string)[]; return_to?: string } }, options?: CallOptions): Promise<{ ticket: string; authorize_url: string; expires_at: string }>;
    /** Configured OAuth providers */
    oauth_status(given?: Record<string, never>, options?: CallOptions): Promise<{ providers: { chat: { configured: boolean; missing: (string)[] }; notes: { configured: boolean; missing: (string)[] }; suite: { configured: boolean; missing: (string)[] } } }>;
    /** Starts an OAuth flow for the caller's tenant; returns an address for a browser, valid once */
    oauth_start_suite(given?: { body?: { name?: string; scopes?: (string)[]; return_to?: string } }, options?: CallOptions): Promise<{ ticket: string; authorize_url: string; expires_at: string }>;
    /** Starts an OAuth flow for the caller's tenant; returns an address for a browser, valid once */
    oauth_start_notes(given?: { body?: { name?: string; scopes?: (string)[]; return_to?: string } }, options?: CallOptions): Promise<{ ticket: string; authorize_url: string; expires_at: string }>;
    /** Starts an OAuth flow for the caller's tenant; returns an address for a browser, valid once */
    oauth_start_chat(given?: { body?: { name?: string; scopes?: (string)[]; return_to?: string } }, options?: CallOptions): Promise<{ ticket: string; authorize_url: string; expires_at: string }>;
    /** Claims the connection of a flow without a ticket */
    claim(given: { body: { code: string; name?: string } }, options?: CallOptions): Promise<ConnectionView>;
    /** Connected accounts, and manual connections */
    list(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (ConnectionView)[]; limit: number; offset: number }>;
    /** Creates a manual connection, after testing the credentials */
    create(given: { body: { connector: string; name?: string; credentials: Record<string, unknown>; rate?: { limit: number; period_seconds: number } | null; concurrency?: number | null } }, options?: CallOptions): Promise<ConnectionView>;
    /** Sets the limits of a connection */
    set_limits(given: { id: string; body?: { rate?: { limit: number; period_seconds: number } | null; concurrency?: number | null } }, options?: CallOptions): Promise<ConnectionView>;
    /** Disconnects an account */
    remove(given: { id: string; force?: boolean }, options?: CallOptions): Promise<void>;
    /** Tests the credentials of a connection with a live call */
    test(given: { id: string }, options?: CallOptions): Promise<ConnectionTestView>;
    /** Workflows that use a connection, and where */
    used_by(given: { id: string }, options?: CallOptions): Promise<{ data: (UsedByRow)[]; truncated: boolean }>;
    /** A fresh access token */
    token(given: { id: string }, options?: CallOptions): Promise<AccessTokenView>;
    /** Renews the access token now */
    refresh(given: { id: string }, options?: CallOptions): Promise<ConnectionView>;
  };
  connectors: {
    /** Connectors with their actions and what they need of an account; `include=schemas`: in full */
    list(given?: { include?: "schemas"; limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (ConnectorView)[]; limit: number; offset: number }>;
    /** A connector, with the schemas of its actions */
    get(given: { name: string }, options?: CallOptions): Promise<ConnectorView>;
    /** Removes an imported connector */
    remove(given: { name: string }, options?: CallOptions): Promise<void>;
    /** Creates a connector from an OpenAPI document, or replaces the one of that name */
    import(given: { body: { name: string; url?: string; document?: string | Record<string, unknown>; base_url?: string; title?: string } }, options?: CallOptions): Promise<ImportView>;
    /** The connector that an import of an OpenAPI document would create; nothing is stored */
    preview_import(given: { body: { name: string; url?: string; document?: string | Record<string, unknown>; base_url?: string; title?: string } }, options?: CallOptions): Promise<ImportView>;
  };
  evaluations: {
    /** Data sets of the tenant, by name */
    list_datasets(given?: { limit?: number; offset?: number; q?: string }, options?: CallOptions): Promise<{ data: (DatasetView)[]; limit: number; offset: number }>;
    /** Creates an empty data set */
    create_dataset(given: { body: { name: string; description?: string } }, options?: CallOptions): Promise<DatasetView>;
    /** A data set */
    dataset(given: { id: string }, options?: CallOptions): Promise<DatasetView>;
    /** Changes the name or the description of a data set */
    update_dataset(given: { id: string; body?: { name?: string; description?: string } }, options?: CallOptions): Promise<DatasetView>;
    /** Deletes a data set with its rows; `force=true` also with its evaluations */
    remove_dataset(given: { id: string; force?: boolean }, options?: CallOptions): Promise<void>;
    /** The tags of the rows of a data set, each with the number of its rows */
    dataset_tags(given: { id: string }, options?: CallOptions): Promise<DatasetTags>;
    /** Rows of a data set in the order of their addition; `format=jsonl`: all of them as a file */
    rows(given: { id: string; limit?: number; offset?: number; cursor?: string; revision?: number; tag?: string; format?: "json" | "jsonl" }, options?: CallOptions): Promise<{ data: (DatasetRow)[]; limit: number; offset: number; revision: number; next_cursor: string | null }>;
    /** Adds up to 500 rows; a row whose id is there replaces it */
    add_rows(given: { id: string; body: { rows: (Record<string, unknown>)[] } }, options?: CallOptions): Promise<RowsChange>;
    /** Adds or replaces a row */
    put_row(given: { id: string; row_id: string; body?: { input?: unknown; expected?: unknown; tags?: (string)[] } }, options?: CallOptions): Promise<RowsChange>;
    /** Removes a row */
    remove_row(given: { id: string; row_id: string }, options?: CallOptions): Promise<void>;
    /** Adds rows from past runs: their inputs, and their outputs as expected */
    add_from_runs(given: { id: string; body?: { query?: string; execution_ids?: (string)[]; limit?: number; take?: "input" | "trigger"; expected?: "output" | "none"; rating?: string; step_id?: string; tags?: (string)[] } }, options?: CallOptions): Promise<RowsFromRuns>;
    /** Evaluations of workflows, newest first */
    list(given?: { limit?: number; offset?: number; cursor?: string; dataset_id?: string; workflow_id?: string; status?: "queued" | "running" | "completed" | "failed" | "cancelled" | "budget_exceeded" }, options?: CallOptions): Promise<{ data: (EvaluationRow)[]; limit: number; offset: number; next_cursor: string | null }>;
    /** Runs a workflow once for each row of a data set, and scores the outputs */
    create(given: { body: { name?: string; dataset_id: string; workflow_id: string; version?: "live" | "draft" | number; input_as?: "body" | "trigger"; tag?: string; writes?: "suppress" | "allow" | "pinned"; pins?: Record<string, Record<string, unknown>>; concurrency?: number; row_timeout_seconds?: number; metrics: (Record<string, unknown>)[]; gates?: (string)[]; budget?: { cost_usd?: number; tokens?: number } } }, options?: CallOptions): Promise<EvaluationDetail>;
    /** An evaluation with its progress, scores and gates */
    get(given: { id: string }, options?: CallOptions): Promise<EvaluationDetail>;
    /** Deletes an evaluation that has ended */
    remove(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Rows of an evaluation with their runs, outputs and scores */
    results(given: { id: string; limit?: number; offset?: number; cursor?: string; outcome?: "passed" | "failed" | "error"; failed_metric?: string; sort?: "row" | "score" | "-score" }, options?: CallOptions): Promise<{ data: (EvaluationResult)[]; limit: number; offset: number; next_cursor: string | null }>;
    /** Cancels an evaluation and its runs */
    cancel(given: { id: string }, options?: CallOptions): Promise<EvaluationDetail>;
    /** Runs the rows again whose run or metric failed */
    rerun_failed(given: { id: string }, options?: CallOptions): Promise<EvaluationDetail>;
    /** Compares two evaluations over the same data set, row by row */
    compare(given: { id: string; other: string; limit?: number }, options?: CallOptions): Promise<EvaluationComparison>;
    /** Adds the rows of a file: CSV with a header, a JSON list, or JSON lines */
    upload(given: { dataset_id: string; body: { file: Blob; format?: string; columns?: string } }, options?: CallOptions): Promise<RowsChange>;
  };
  executions: {
    /** State and used capacity of the executors */
    workers(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (WorkerPool)[]; limit: number; offset: number }>;
    /** Lists executions, newest first */
    list(given?: { limit?: number; offset?: number; cursor?: string; status?: "running" | "completed" | "failed" | "cancelled"; workflow_id?: string; trials?: boolean }, options?: CallOptions): Promise<ExecutionPage>;
    /** Lists executions by a filter such as ExecutionStatus = "Failed" AND StartTime > now() - 1d */
    visibility(given?: { query?: string; limit?: number; offset?: number; cursor?: string; trials?: boolean }, options?: CallOptions): Promise<ExecutionPage>;
    /** Runs by status and by the hour of their start; the last day, or as many `hours` */
    activity(given?: { hours?: number }, options?: CallOptions): Promise<{ hours: (HourFigures)[] }>;
    /** An execution */
    get(given: { id: string; max_value_chars?: number }, options?: CallOptions): Promise<ExecutionView>;
    /** When the steps of an execution ran, waited or paused before a retry */
    timeline(given: { id: string; limit?: number; offset?: number; cursor?: string; parent?: string; loops?: "expanded" | "collapsed"; status?: "cancelled" | "completed" | "failed" | "pending" | "retrying" | "running" | "skipped" | "waiting" }, options?: CallOptions): Promise<{ execution_id: string; status: ExecutionStatus; started_at: string; ended_at: string | null; spans: (TimelineSpan)[]; pauses: (PauseView)[]; truncated: boolean; total: number; next_cursor: string | null }>;
    /** Log lines of the steps of an execution, in the order in which they were stored */
    logs(given: { id: string; after?: number; step_id?: string; path?: string; attempt?: number; limit?: number }, options?: CallOptions): Promise<{ data: (RunLogLine)[]; next_after: number; more: boolean }>;
    /** Cancels, retries, signals, pauses or resumes every execution that matches a query */
    bulk(given: { body: { query: string; action: "cancel" | "retry" | "signal" | "pause" | "resume"; dry_run?: boolean; signal?: string; data?: Record<string, unknown>; from_step?: string; input?: Record<string, unknown>; use_latest?: boolean; reason?: string } }, options?: CallOptions): Promise<{ action: string; dry_run: boolean; matched: number; more: boolean; accepted: number; refused: ({ execution_id: string; code: string; message: string })[] }>;
    /** An execution with its steps, a page at a time */
    detail(given: { id: string; max_value_chars?: number; include?: string; values?: boolean; limit?: number; offset?: number; cursor?: string; parent?: string; loops?: "expanded" | "collapsed"; status?: "cancelled" | "completed" | "failed" | "pending" | "retrying" | "running" | "skipped" | "waiting"; step_id?: string; path?: string }, options?: CallOptions): Promise<{ execution: ExecutionView; steps: (StepView)[]; total: number; limit: number; offset: number; next_cursor: string | null }>;
    /** Cancels a run */
    cancel(given: { id: string }, options?: CallOptions): Promise<ExecutionView>;
    /** Pauses a run */
    pause(given: { id: string; body?: { reason?: string } }, options?: CallOptions): Promise<ExecutionView>;
    /** Resumes a paused run */
    resume(given: { id: string; body?: { reason?: string } }, options?: CallOptions): Promise<ExecutionView>;
    /** Runs again, reusing the outputs of completed steps */
    retry(given: { id: string; body?: { from_step?: string; input?: Record<string, unknown>; use_latest?: boolean } }, options?: CallOptions): Promise<{ id: string; workflow_def_id: string; status: ExecutionStatus; trigger_type: string; started_at: string; ended_at: string | null; duration_ms: number | null; workflow_name: string; error: RunError | null; waiting: (WaitingView)[]; tokens: number; cost_usd: number; retry_of: string | null; parent: string | null; labels: Record<string, string>; trial: boolean; tenant_id: string; trigger: unknown; warnings: (RunWarning)[]; input: unknown; output: unknown; cut?: ("trigger" | "input" | "output")[] }>;
    /** Public state of a run, by its id alone */
    public(given: { id: string }, options?: CallOptions): Promise<PublicExecutionView>;
    /** Delivers a signal */
    signal(given: { id: string; body: { signal: string; data?: Record<string, unknown> } }, options?: CallOptions): Promise<{ accepted: true; execution_id: string; signal: string; warnings?: (ErrorDetail)[] }>;
    /** Waiting steps of the tenant; by kind, or those that the caller may decide */
    approvals(given?: { kind?: "approval" | "form" | "signal" | "timer" | "child" | "all"; mine?: boolean; limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (ApprovalRow)[]; limit: number; offset: number }>;
    /** How many approvals wait, and how many of them the caller may decide */
    approvals_count(given?: Record<string, never>, options?: CallOptions): Promise<{ mine: number; all: number; more: boolean }>;
    /** Decided approvals, newest first */
    decided(given?: { limit?: number; cursor?: string; mine?: boolean }, options?: CallOptions): Promise<{ data: (DecisionRow)[]; limit: number; next_cursor: string | null }>;
    /** Rates a step */
    feedback(given: { id: string; step_id: string; body: { rating: string; comment?: string } }, options?: CallOptions): Promise<{ execution_id: string; step_id: string; rating: string; comment: string | null }>;
    /** Evaluates expressions with the data of a run or with sample data */
    evaluate(given: { body: { items: ({ expression?: string; template?: unknown; lenient?: boolean })[]; context?: { execution_id?: string; step_id?: string; sample?: { trigger?: unknown; steps?: unknown; loop?: unknown; error?: unknown; vars?: unknown; env?: unknown; config?: unknown; cursor?: unknown } }; dsl?: Record<string, unknown> } }, options?: CallOptions): Promise<{ results: (EvaluationView)[] }>;
    /** The document that an execution runs, whatever the workflow has become since */
    document(given: { id: string; values?: boolean }, options?: CallOptions): Promise<{ execution_id: string; workflow_def_id: string; workflow_name: string; dsl: Record<string, unknown> }>;
    /** The state of each step of the document of an execution; steps in loops are counted by status */
    overview(given: { id: string }, options?: CallOptions): Promise<{ execution_id: string; status: ExecutionStatus; started_at: string; ended_at: string | null; steps: (StepOverview)[] }>;
    /** How many runs of all tenants wait, by what they wait for */
    operator_queues(given?: Record<string, never>, options?: CallOptions): Promise<{ queues: (OperatorQueue)[]; truncated: boolean }>;
    /** Lists limits of workflows and the runs that wait for them, the longest queue first */
    queues(given?: { limit?: number; offset?: number; workflow_id?: string; kind?: "batch" | "concurrency" | "connection" | "debounce" | "throttle" }, options?: CallOptions): Promise<QueuePage>;
    /** Usage by workflow, by model and by day; of the last thirty `days`, or as many as are given */
    breakdown(given?: { days?: number }, options?: CallOptions): Promise<UsageBreakdown>;
    /** Compares two runs: inputs, outputs and each step */
    compare(given: { id: string; other: string; limit?: number; cursor?: string; parent?: string; differences?: boolean; changes?: number }, options?: CallOptions): Promise<{ a: ComparedRun; b: ComparedRun; same_workflow: boolean; same_plan: boolean; input: ComparedValue | null; output: ComparedValue | null; steps: (ComparedStep)[]; total: number; only_in_a: number; only_in_b: number; compared: number; next_cursor: string | null }>;
    /** Server-sent events of an execution */
    stream(given: { id: string; last_event_id?: string; from?: "now"; deltas?: "1" | "true"; logs?: "1" | "true"; logs_after?: string; "Last-Event-ID"?: string }, options?: CallOptions): AsyncIterable<ServerEvent>;
    /** Server-sent events of a run one started */
    stream_public(given: { id: string; last_event_id?: string; from?: "now"; "Last-Event-ID"?: string }, options?: CallOptions): AsyncIterable<ServerEvent>;
    /** Decides an approval; the pair of ids is the capability, unless the step names approvers, who sign in */
    decide_by_link(given: { id: string; step_id: string; decision: "approve" | "reject"; comment?: string; confirm?: "1" }, options?: CallOptions): Promise<{ execution_id: string; step_id: string; message: string; form?: unknown; approved: boolean | null }>;
  };
  files: {
    /** The files that a run has written */
    list(given: { exec_id: string; limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (FileRow)[]; limit: number; offset: number }>;
    /** The files of a run, by its id alone; with addresses of those that are shared */
    list_public(given: { id: string; limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (FileRow)[]; limit: number; offset: number }>;
    /** A file that a run has written; whole, or a range of it */
    download(given: { exec_id: string; path: string; Range?: string; "If-None-Match"?: string; "If-Match"?: string; "If-Range"?: string }, options?: CallOptions): Promise<Response>;
    /** What a download link stands for, once */
    download_by_link(given: { token: string }, options?: CallOptions): Promise<Response>;
    /** A shared file; whole, or a range of it. The name is for people alone */
    download_shared(given: { id: string; filename: string; Range?: string; "If-None-Match"?: string; "If-Match"?: string; "If-Range"?: string }, options?: CallOptions): Promise<Response>;
  };
  knowledge: {
    /** Lists knowledge bases */
    list(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (KnowledgeBaseView)[]; limit: number; offset: number }>;
    /** Makes a knowledge base */
    create(given: { body: { name: string; description?: string | null; embedding?: { provider: string; model: string; base_url?: string; api_key?: string; dimension?: number } | null; chunking?: { max_tokens?: number; overlap_tokens?: number } } }, options?: CallOptions): Promise<KnowledgeBaseView>;
    /** A knowledge base, with its figures */
    get(given: { id: string }, options?: CallOptions): Promise<KnowledgeBaseView>;
    /** Changes the given fields; another model makes new vectors in the background */
    update(given: { id: string; body?: { name?: string; description?: string | null; embedding?: { provider: string; model: string; base_url?: string; api_key?: string; dimension?: number } | null; chunking?: { max_tokens?: number; overlap_tokens?: number } } }, options?: CallOptions): Promise<KnowledgeBaseView>;
    /** Removes a knowledge base with its documents */
    remove(given: { id: string; force?: boolean }, options?: CallOptions): Promise<void>;
    /** Searches a knowledge base */
    query(given: { id: string; body: { query: string; top_k?: number; min_score?: number; filter?: unknown; rerank?: unknown; explain?: boolean } }, options?: CallOptions): Promise<KnowledgeAnswer>;
    /** Documents, newest first */
    documents(given: { id: string; limit?: number; offset?: number; status?: "queued" | "parsing" | "chunking" | "embedding" | "ready" | "failed" }, options?: CallOptions): Promise<{ data: (DocumentView)[]; limit: number; offset: number }>;
    /** Adds a text, or an address; 200 where the base has it already */
    add_document(given: { id: string; body?: { key?: string; name?: string; title?: string; text?: string; url?: string; refresh?: string; metadata?: Record<string, unknown> } }, options?: CallOptions): Promise<{ id: string; knowledge_base_id: string; name: string; source: DocumentSource; status: "queued" | "parsing" | "chunking" | "embedding" | "ready" | "failed"; progress: { done: number; total: number } | null; error: { code: string; message: string } | null; warnings: (string)[]; metadata: Record<string, unknown>; size: number; content_hash: string | null; pages: number | null; chunks: number; tokens: number; created_at: string; updated_at: string; duplicate?: true }>;
    /** A document, and how far it is */
    document(given: { base_id: string; id: string }, options?: CallOptions): Promise<DocumentView>;
    /** Removes a document */
    remove_document(given: { base_id: string; id: string }, options?: CallOptions): Promise<void>;
    /** The parts of a document as they are searched */
    chunks(given: { base_id: string; id: string; limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (ChunkView)[]; limit: number; offset: number }>;
    /** Fetches an address again, or reads anew what was sent */
    refresh(given: { base_id: string; id: string }, options?: CallOptions): Promise<DocumentView>;
    /** Adds a file; 200 where the base has it already */
    upload(given: { base_id: string; body: { file: Blob; name?: string; metadata?: string } }, options?: CallOptions): Promise<AddedDocument>;
  };
  processes: {
    /** The processes of the installation, with their load */
    hosts(given?: Record<string, never>, options?: CallOptions): Promise<{ hosts: (HostView)[] }>;
    /** Which dependencies the processes of the installation can use */
    readiness(given?: Record<string, never>, options?: CallOptions): Promise<{ dependencies: (DependencyView)[]; silent: (string)[] }>;
  };
  scheduler: {
    /** Lists the schedules of all workflows with their next times and last outcomes */
    list(given?: { limit?: number; offset?: number; cursor?: string; sort?: "workflow" | "next"; paused?: boolean; workflow_id?: string; next_runs?: number }, options?: CallOptions): Promise<{ data: (ScheduleRow)[]; limit: number; offset: number; next_cursor: string | null }>;
    /** Pauses a schedule; the workflow stays enabled */
    pause(given: { id: string; body?: { trigger?: number } }, options?: CallOptions): Promise<ScheduleView>;
    /** Resumes a paused schedule with the times from now on */
    resume(given: { id: string; body?: { trigger?: number } }, options?: CallOptions): Promise<ScheduleView>;
    /** Starts a run of a schedule now */
    fire(given: { id: string; body?: { trigger?: number } }, options?: CallOptions): Promise<{ execution_id: string; scheduled_for: string }>;
    /** Starts the fire times of a range that have no run */
    backfill(given: { id: string; body: { trigger?: number; from: string; to: string; dry_run?: boolean } }, options?: CallOptions): Promise<BackfillView>;
  };
  secrets: {
    /** Whether everything is sealed with the newest key */
    keys(given?: Record<string, never>, options?: CallOptions): Promise<KeysState>;
    /** Which keys are in use, and how far a rotation of the master key is */
    operator_keys(given?: Record<string, never>, options?: CallOptions): Promise<KeysView>;
    /** Names of the secrets */
    list(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (SecretView)[]; limit: number; offset: number }>;
    /** Creates (201) or replaces (200) a secret */
    put(given: { body: { name: string; value: string } }, options?: CallOptions): Promise<{ name: string; created_at: string; updated_at: string }>;
    /** Removes a secret */
    remove(given: { name: string; force?: boolean }, options?: CallOptions): Promise<void>;
    /** Workflows that use a secret, and where */
    used_by(given: { name: string }, options?: CallOptions): Promise<{ data: (UsedByRow)[]; truncated: boolean }>;
  };
  skills: {
    /** Skills of the tenant */
    list(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (SkillRow)[]; limit: number; offset: number }>;
    /** Creates a skill; takes what `parse` gives */
    create(given?: { body?: { name?: string; description?: string; version?: unknown; license?: unknown; metadata?: unknown; allowed_tools?: unknown; instructions?: string; files?: unknown } }, options?: CallOptions): Promise<SkillView>;
    /** A skill with its instructions and files */
    get(given: { id: string }, options?: CallOptions): Promise<SkillView>;
    /** Changes the given fields; `files` as a whole */
    update(given: { id: string; body?: { name?: string; description?: string; version?: unknown; license?: unknown; metadata?: unknown; allowed_tools?: unknown; instructions?: string; files?: unknown } }, options?: CallOptions): Promise<SkillView>;
    /** Deletes a skill; takes one out of the registry first, which needs an admin */
    remove(given: { id: string; force?: boolean }, options?: CallOptions): Promise<void>;
    /** Publishes a skill as a version that never changes */
    publish(given: { id: string; body?: { version?: string; bump?: "major" | "minor" | "patch"; notes?: string } }, options?: CallOptions): Promise<SkillView>;
    /** Takes a version, or all, out of the registry; copies stay */
    unpublish(given: { id: string; body?: { version?: string } }, options?: CallOptions): Promise<SkillView>;
    /** Skills in the registry, published last first */
    published(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (RegistryRow)[]; limit: number; offset: number }>;
    /** A skill in the registry, with its instructions; `version`: as it was then */
    published_skill(given: { id: string; version?: string }, options?: CallOptions): Promise<RegistryView>;
    /** Skills in the registry by the words in `q`, the best answers first */
    search(given?: { q?: string; limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (RegistryRow)[]; limit: number; offset: number }>;
    /** Copies a skill of the registry into the tenant, pinned to a version; 201, or 200 over one that is there */
    install(given: { body: { id: string; version?: string; name?: string; overwrite?: boolean } }, options?: CallOptions): Promise<{ id: string; hash: string; bytes: number; file_count: number; source: SkillSource | null; published_version: string | null; created_by: string; created_at: string; updated_at: string; name: string; description: string; version: string | null; license: string | null; metadata: Record<string, string>; allowed_tools: (string)[]; instructions: string; files: (SkillFile)[]; publication: SkillPublication | null }>;
    /** What a bundle (`file`, a zip with SKILL.md) holds; nothing is stored */
    upload(given: { body: { file: Blob } }, options?: CallOptions): Promise<SkillDraft>;
  };
  workflows: {
    /** Lists workflows with their last runs; by text, tag, folder, status, trigger and environment */
    list(given?: { limit?: number; offset?: number; q?: string; tag?: string; folder?: string; status?: "active" | "pending_approval"; enabled?: boolean; trigger?: string; env?: "dev" | "staging" | "production"; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at"; cursor?: string }, options?: CallOptions): Promise<{ data: (WorkflowRow)[]; limit: number; offset: number; next_cursor: string | null }>;
    /** Creates a workflow */
    create(given: { body: { name: string; tags?: (string)[]; folder?: string; description?: string; env?: "dev" | "staging" | "production"; webhook_api_key?: string | null; dsl: WorkflowDocument; publish?: boolean } }, options?: CallOptions): Promise<WorkflowView>;
    /** Copies a workflow under the name "<name> (copy)" */
    duplicate(given: { id: string }, options?: CallOptions): Promise<WorkflowView>;
    /** A workflow */
    get(given: { id: string }, options?: CallOptions): Promise<WorkflowView>;
    /** Changes the given fields */
    update(given: { id: string; "If-Match"?: string; body?: { name?: string; tags?: (string)[]; folder?: string; description?: string; env?: "dev" | "staging" | "production"; webhook_api_key?: string | null; dsl?: WorkflowDocument } }, options?: CallOptions): Promise<WorkflowView>;
    /** Removes a workflow with its executions */
    remove(given: { id: string; force?: boolean }, options?: CallOptions): Promise<void>;
    /** Enables a workflow */
    enable(given: { id: string }, options?: CallOptions): Promise<WorkflowView>;
    /** Disables a workflow */
    disable(given: { id: string }, options?: CallOptions): Promise<WorkflowView>;
    /** Approves a workflow that a member created or changed */
    approve(given: { id: string; body?: { version?: number; dsl_hash?: string } }, options?: CallOptions): Promise<WorkflowView>;
    /** Checks a document without storing it */
    validate(given: { body: { dsl: unknown } }, options?: CallOptions): Promise<{ valid: boolean; errors: (ErrorDetail)[]; warnings: (ErrorDetail)[] }>;
    /** Workflows that start or follow a workflow, and where */
    used_by(given: { id: string }, options?: CallOptions): Promise<{ data: (UsedByRow)[]; truncated: boolean }>;
    /** Folders and tags of workflows, with the number of workflows */
    folders(given?: Record<string, never>, options?: CallOptions): Promise<{ folders: ({ folder: string; workflows: number })[]; tags: ({ tag: string; workflows: number })[] }>;
    /** The workflow as a file */
    export(given: { id: string }, options?: CallOptions): Promise<WorkflowFile>;
    /** Creates a workflow from an exported file */
    import(given: { body: WorkflowFile | { name: string; dsl: WorkflowDocument } }, options?: CallOptions): Promise<WorkflowView>;
    /** Folders of workflows and those with rules, by name, with the right of the caller */
    folder_list(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: ({ folder: string; workflows: number; restricted: boolean; has_rules: boolean; right: "view" | "run" | "edit" | "manage" })[]; limit: number; offset: number }>;
    /** Who may do what with the workflows of a folder */
    folder_access(given: { folder: string }, options?: CallOptions): Promise<FolderAccess>;
    /** Replaces the rules of a folder, by someone who manages it */
    set_folder_access(given: { folder: string; body: { access: "open" | "restricted"; grants: ({ kind: "member" | "group"; id: string; right: "view" | "run" | "edit" | "manage" })[]; revision?: number } }, options?: CallOptions): Promise<FolderAccess>;
    /** Removes the rules of a folder; what contains it decides */
    remove_folder_access(given: { folder: string }, options?: CallOptions): Promise<void>;
    /** Health of a workflow */
    health(given: { id: string }, options?: CallOptions): Promise<WorkflowHealth>;
    /** Health of all workflows */
    health_all(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (WorkflowHealth)[]; limit: number; offset: number }>;
    /** Live state of the schedule */
    schedule(given: { id: string }, options?: CallOptions): Promise<{ schedule: PollView | ScheduleView | null; schedules?: (TriggerView)[] }>;
    /** Starts a run; the body becomes `trigger` */
    trigger(given: { id: string; body?: Record<string, unknown> }, options?: CallOptions): Promise<{ id: string; workflow_def_id: string; status: ExecutionStatus; trigger_type: string; started_at: string; ended_at: string | null; duration_ms: number | null; workflow_name: string; error: RunError | null; waiting: (WaitingView)[]; tokens: number; cost_usd: number; retry_of: string | null; parent: string | null; labels: Record<string, string>; trial: boolean; tenant_id: string; trigger: unknown; warnings: (RunWarning)[]; input: unknown; output: unknown; cut?: ("trigger" | "input" | "output")[] }>;
    /** Starts every workflow with a `signal` trigger of that name */
    signal(given: { body: { signal: string; data?: Record<string, unknown> } }, options?: CallOptions): Promise<{ accepted: true; signal: string; started: ({ workflow_id: string; execution_id: string })[]; refused: ({ workflow_id: string; code: "invalid_request" | "invalid_json" | "invalid_dsl" | "invalid_input" | "invalid_query" | "unknown_secret" | "invalid_token" | "sign_in_failed" | "oauth_failed" | "unauthenticated" | "invalid_login" | "invalid_code" | "invalid_passkey" | "second_factor_challenge" | "quota_exceeded" | "forbidden" | "sso_required" | "second_factor_required" | "reauthentication_required" | "sign_in_refused" | "workflow_limit" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "slug_taken" | "connection_expired" | "connection_revoked" | "workflow_disabled" | "workflow_pending" | "execution_ended" | "execution_running" | "already_decided" | "idempotency_mismatch" | "idempotency_in_progress" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "tenant_suspended" | "rate_limited" | "start_limited" | "execution_failed" | "sealed_unreadable" | "internal" | "provider_failed" | "provider_not_configured" | "unavailable" | "timed_out"; message: string })[] }>;
    /** Runs one step on its own; its effects are real */
    test_step(given: { id: string; step_id: string; body?: { trigger?: Record<string, unknown>; steps?: Record<string, unknown>; loop?: Record<string, unknown>; error?: Record<string, unknown>; pin?: boolean } }, options?: CallOptions): Promise<StepTestView>;
    /** Fixes a step's output for runs that are started by hand */
    pin(given: { id: string; step_id: string; body?: { output?: Record<string, unknown>; execution_id?: string; path?: string } }, options?: CallOptions): Promise<WorkflowView>;
    /** Lets a pinned step run again */
    unpin(given: { id: string; step_id: string }, options?: CallOptions): Promise<void>;
    /** Lists custom nodes */
    custom_nodes(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (CustomNodeView)[]; limit: number; offset: number }>;
    /** Creates a step type from a definition */
    create_custom_node(given?: { body?: Record<string, unknown> }, options?: CallOptions): Promise<CustomNodeView>;
    /** A custom node, by type or id */
    get_custom_node(given: { type: string }, options?: CallOptions): Promise<CustomNodeView>;
    /** Changes the given members of a definition */
    update_custom_node(given: { type: string; body?: Record<string, unknown> }, options?: CallOptions): Promise<CustomNodeView>;
    /** Deletes a custom node; 409 while workflows use it, but for `force=true` */
    remove_custom_node(given: { type: string; force?: boolean }, options?: CallOptions): Promise<void>;
    /** Sends the request of a custom node, as a step of this config would */
    test_custom_node(given: { type: string; body?: { config?: Record<string, unknown>; steps?: Record<string, unknown>; trigger?: Record<string, unknown> } }, options?: CallOptions): Promise<StepTestView>;
    /** Runs an action as a step with this input would; its effects are real */
    test_action(given: { name: string; action: string; body?: { connection?: string; input?: Record<string, unknown> } }, options?: CallOptions): Promise<StepTestView>;
    /** Node types: those that hold steps, built-in and custom ones; by `category` and `kind` */
    node_types(given?: { limit?: number; offset?: number; category?: string; kind?: string }, options?: CallOptions): Promise<{ data: (NodeTypeRow)[]; limit: number; offset: number }>;
    /** Named constants of expressions, by name */
    variables(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (VariableView)[]; limit: number; offset: number }>;
    /** Creates (201) or replaces (200) a named constant */
    put_variable(given: { name: string; body: { value: unknown } }, options?: CallOptions): Promise<{ name: string; value: unknown; updated_at: string }>;
    /** Removes a named constant */
    remove_variable(given: { name: string }, options?: CallOptions): Promise<void>;
    /** Workflows that use a named constant, and where */
    variable_used_by(given: { name: string }, options?: CallOptions): Promise<{ data: (UsedByRow)[]; truncated: boolean }>;
    /** Creates a key for /run; its value is shown once */
    create_key(given: { id: string; body?: { name?: string } }, options?: CallOptions): Promise<{ id: string; name: string; prefix: string; created_at: string; last_used_at: string | null; key: string; note: string }>;
    /** Lists keys of a workflow */
    list_keys(given: { id: string; limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (WorkflowKeyView)[]; limit: number; offset: number }>;
    /** Revokes a key */
    revoke_key(given: { id: string; key_id: string }, options?: CallOptions): Promise<void>;
    /** Sets or generates the key of the webhook; its value is shown once */
    set_webhook_key(given: { id: string; body?: { key?: string } }, options?: CallOptions): Promise<{ webhook_api_key: string; note: string }>;
    /** Removes the key of the webhook */
    clear_webhook_key(given: { id: string }, options?: CallOptions): Promise<void>;
    /** Chats of all workflows, newest first */
    all_chats(given?: { limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (ChatRow)[]; limit: number; offset: number }>;
    /** Lets visitors talk to a workflow */
    create_chat(given: { id: string; body: { slug: string; title: string; greeting?: string; input_field?: string; output_field?: string; allowed_origins?: (string)[]; rate_limit?: { per_minute?: number; burst?: number } } }, options?: CallOptions): Promise<ChatDeploymentView>;
    /** Chats of a workflow */
    chats(given: { id: string; limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (ChatDeploymentView)[]; limit: number; offset: number }>;
    /** Changes the given fields of a chat */
    update_chat(given: { id: string; slug: string; body?: { title?: string; greeting?: string; input_field?: string; output_field?: string; allowed_origins?: (string)[]; rate_limit?: { per_minute?: number; burst?: number } } }, options?: CallOptions): Promise<ChatDeploymentView>;
    /** Ends a chat */
    remove_chat(given: { id: string; slug: string }, options?: CallOptions): Promise<void>;
    /** The address of the form that starts a workflow */
    form(given: { id: string }, options?: CallOptions): Promise<{ url: string; live: boolean }>;
    /** Makes a link that opens the form of a workflow once, with values that are filled in */
    create_form_link(given: { id: string; body?: { values?: Record<string, unknown>; expires_in?: string } }, options?: CallOptions): Promise<{ url: string; expires_at: string }>;
    /** Saves the current DSL as the next version */
    save_version(given: { id: string; body?: { message?: string } }, options?: CallOptions): Promise<VersionView>;
    /** Versions of a workflow, newest first */
    versions(given: { id: string; limit?: number; offset?: number }, options?: CallOptions): Promise<{ data: (VersionRow)[]; limit: number; offset: number }>;
    /** A version with its DSL */
    version(given: { id: string; version: string }, options?: CallOptions): Promise<VersionView>;
    /** Replaces the current DSL by that of a version */
    restore_version(given: { id: string; version: string }, options?: CallOptions): Promise<WorkflowView>;
    /** The differences between two versions; `current` is the current DSL */
    compare_versions(given: { id: string; from: string; to: string }, options?: CallOptions): Promise<{ same: boolean; steps: { added: (StepPlace)[]; removed: (StepPlace)[]; moved: ({ id: string; from: string; to: string })[]; changed: ({ id: string; changes: (ValueChange)[] })[] }; document: (ValueChange)[]; truncated: boolean; from: string; to: string }>;
    /** The draft of a workflow; null when it has none */
    draft(given: { id: string }, options?: CallOptions): Promise<DraftView | null>;
    /** Stores the draft of a workflow, which need not be valid */
    put_draft(given: { id: string; "If-Match"?: string; "If-None-Match"?: string; body: { dsl: Record<string, unknown>; base_hash?: string } }, options?: CallOptions): Promise<DraftView>;
    /** Discards the draft of a workflow */
    remove_draft(given: { id: string; "If-Match"?: string }, options?: CallOptions): Promise<void>;
    /** The differences between the live document and the draft */
    diff_draft(given: { id: string }, options?: CallOptions): Promise<{ same: boolean; steps: { added: (StepPlace)[]; removed: (StepPlace)[]; moved: ({ id: string; from: string; to: string })[]; changed: ({ id: string; changes: (ValueChange)[] })[] }; document: (ValueChange)[]; truncated: boolean; base_hash: string; live_hash: string; draft_hash: string }>;
    /** Makes the draft, or a given document, the live one, and saves it as a version */
    publish(given: { id: string; "If-Match"?: string; body?: { dsl?: WorkflowDocument; draft_hash?: string; message?: string } }, options?: CallOptions): Promise<{ workflow: WorkflowView; version: VersionRow }>;
    /** Runs a document that is not saved, as a trial */
    try(given: { wait?: boolean; body: { dsl: WorkflowDocument; workflow_id?: string; trigger?: Record<string, unknown>; until_step?: string; pins?: Record<string, Record<string, unknown>>; from_execution?: string; suppress_writes?: boolean; now?: string } }, options?: CallOptions): Promise<TrialView>;
    /** Runs one step of a document that is not saved; its effects are real */
    test_document_step(given: { body: { dsl: WorkflowDocument; step_id: string; workflow_id?: string; trigger?: Record<string, unknown>; steps?: Record<string, unknown>; loop?: Record<string, unknown>; error?: Record<string, unknown>; from_execution?: string } }, options?: CallOptions): Promise<StepTestView>;
    /** The JSON Schema of workflow documents, with the configuration of every node type */
    schema(given?: Record<string, never>, options?: CallOptions): Promise<Record<string, unknown>>;
  };
  events: {
    /** Server-sent events of the tenant: runs, approvals and workflows that changed */
    stream(given?: Record<string, never>, options?: CallOptions): AsyncIterable<ServerEvent>;
  };
  chat: {
    /** What a chat is called, and how to talk to it */
    config(given: { slug: string }, options?: CallOptions): Promise<ChatConfig>;
    /** Answers a message; with Accept: text/event-stream, as the reply is made */
    send(given: { slug: string; body: { message?: string; conversation_id?: string | null } & Record<string, unknown> }, options?: CallOptions): Promise<{ reply: unknown; conversation_id: string; execution_id: string } & Record<string, unknown>>;
  };
  health: {
    /** Whether the gateway answers */
    check_health(given?: Record<string, never>, options?: CallOptions): Promise<{ status: "ok" }>;
    /** The same */
    check_live(given?: Record<string, never>, options?: CallOptions): Promise<{ status: "ok" }>;
    /** The same */
    healthz(given?: Record<string, never>, options?: CallOptions): Promise<{ status: "ok" }>;
    /** Whether everything that requests need is there; 503 with what is missing */
    check_ready(given?: Record<string, never>, options?: CallOptions): Promise<{ status: "ready"; degraded?: ({ name: string; reason: string })[] }>;
    /** The same */
    ready(given?: Record<string, never>, options?: CallOptions): Promise<{ status: "ready"; degraded?: ({ name: string; reason: string })[] }>;
  };
  docs: {
    /** The API as an OpenAPI document */
    openapi(given?: { "If-None-Match"?: string }, options?: CallOptions): Promise<Record<string, unknown>>;
    /** A page that shows the API */
    page(given?: { "If-None-Match"?: string }, options?: CallOptions): Promise<string>;
    /** The script of that page */
    script(given?: { "If-None-Match"?: string }, options?: CallOptions): Promise<string>;
    /** What that page makes requests with */
    requests(given?: { "If-None-Match"?: string }, options?: CallOptions): Promise<string>;
    /** The guides, with their headings */
    guides(given?: { "If-None-Match"?: string }, options?: CallOptions): Promise<Record<string, unknown>>;
    /** A guide, as a page */
    guide(given: { name: string; "If-None-Match"?: string }, options?: CallOptions): Promise<string>;
  };
}

/** How an operation is called. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  readonly body?: 'json' | 'form';
  /** Absent: 'json'. */
  readonly answers?: 'json' | 'events' | 'text' | 'response' | 'nothing';
  /** Takes an Idempotency-Key, so that it may be repeated. */
  readonly idempotent?: true;
}

export const CALLS: Readonly<Record<string, Call>> = {
  "webhooks.start": { method: "POST", path: "/webhooks/{id}", body: "json", idempotent: true },
  "webhooks.verify": { method: "GET", path: "/webhooks/{id}", query: ["challenge","hub.challenge","validationToken"], idempotent: true },
  "webhooks.run": { method: "POST", path: "/run/{id}", query: ["wait"], body: "json", idempotent: true },
  "webhooks.start_and_wait": { method: "POST", path: "/webhooks/{id}/sync", body: "json", idempotent: true },
  "channels.voice_event": { method: "POST", path: "/webhooks/voice-provider", body: "json" },
  "billing.receive": { method: "POST", path: "/webhooks/billing-provider", body: "json" },
  "messaging.verify_messaging_a": { method: "GET", path: "/webhooks/messaging-a/{id}", query: ["hub.mode","hub.verify_token","hub.challenge"], answers: "text" },
  "messaging.receive_messaging_a": { method: "POST", path: "/webhooks/messaging-a/{id}", body: "json" },
  "messaging.verify_messaging_b": { method: "GET", path: "/webhooks/messaging-b/{id}", query: ["hub.mode","hub.verify_token","hub.challenge"], answers: "text" },
  "messaging.receive_messaging_b": { method: "POST", path: "/webhooks/messaging-b/{id}", body: "json" },
  "ai.models": { method: "GET", path: "/api/v1/llm/models", query: ["provider","model","api_key","base_url","limit","offset"] },
  "ai.playground": { method: "POST", path: "/api/v1/playground/run", body: "json" },
  "ai.generate": { method: "POST", path: "/api/v1/workflows/generate", body: "json" },
  "alerts.list": { method: "GET", path: "/api/v1/alerts", query: ["limit","offset","workflow_id"] },
  "alerts.create": { method: "POST", path: "/api/v1/alerts", body: "json", idempotent: true },
  "alerts.get": { method: "GET", path: "/api/v1/alerts/{id}" },
  "alerts.update": { method: "PUT", path: "/api/v1/alerts/{id}", body: "json" },
  "alerts.remove": { method: "DELETE", path: "/api/v1/alerts/{id}", answers: "nothing" },
  "alerts.mute": { method: "POST", path: "/api/v1/alerts/{id}/mute", body: "json" },
  "alerts.test": { method: "POST", path: "/api/v1/alerts/{id}/test" },
  "alerts.notifications": { method: "GET", path: "/api/v1/alerts/{id}/notifications", query: ["limit","offset","cursor","kind"] },
  "audit.list": { method: "GET", path: "/api/v1/audit", query: ["limit","offset","cursor","actor","action","target","from","to","format"] },
  "audit.operator_list": { method: "GET", path: "/api/v1/operator/audit", query: ["limit","cursor","actor","action","target","from","to"] },
  "audit.stream": { method: "GET", path: "/api/v1/audit/stream" },
  "audit.set_stream": { method: "PUT", path: "/api/v1/audit/stream", body: "json" },
  "audit.remove_stream": { method: "DELETE", path: "/api/v1/audit/stream", answers: "nothing" },
  "audit.pause_stream": { method: "POST", path: "/api/v1/audit/stream/pause", body: "json" },
  "audit.resume_stream": { method: "POST", path: "/api/v1/audit/stream/resume", body: "json" },
  "audit.test_stream": { method: "POST", path: "/api/v1/audit/stream/test", body: "json" },
  "audit.verify": { method: "GET", path: "/api/v1/audit/verify", query: ["from_seq","anchor"] },
  "auth.jwks": { method: "GET", path: "/.well-known/jwks.json" },
  "auth.register": { method: "POST", path: "/api/v1/auth/register", body: "json", idempotent: true },
  "auth.login": { method: "POST", path: "/api/v1/auth/login", body: "json" },
  "auth.tenant": { method: "GET", path: "/api/v1/tenant" },
  "auth.update_settings": { method: "PUT", path: "/api/v1/tenant/settings", body: "json" },
  "auth.create_api_key": { method: "POST", path: "/api/v1/api-keys", body: "json", idempotent: true },
  "auth.list_api_keys": { method: "GET", path: "/api/v1/api-keys", query: ["limit","offset"] },
  "auth.rotate_api_key": { method: "POST", path: "/api/v1/api-keys/{id}/rotate", body: "json", idempotent: true },
  "auth.revoke_api_key": { method: "DELETE", path: "/api/v1/api-keys/{id}", answers: "nothing" },
  "auth.branding": { method: "GET", path: "/api/v1/tenant/branding" },
  "auth.update_branding": { method: "PUT", path: "/api/v1/tenant/branding", body: "json" },
  "auth.create_download": { method: "POST", path: "/api/v1/downloads", body: "json" },
  "auth.operator_tenants": { method: "GET", path: "/api/v1/operator/tenants", query: ["q","plan","limit","cursor"] },
  "auth.operator_tenant": { method: "GET", path: "/api/v1/operator/tenants/{id}" },
  "auth.operator_set_plan": { method: "PUT", path: "/api/v1/operator/tenants/{id}/plan", body: "json" },
  "auth.operator_set_limit": { method: "PUT", path: "/api/v1/operator/tenants/{id}/limits/{limit}", body: "json" },
  "auth.operator_remove_limit": { method: "DELETE", path: "/api/v1/operator/tenants/{id}/limits/{limit}" },
  "auth.operator_suspend": { method: "POST", path: "/api/v1/operator/tenants/{id}/suspend", body: "json" },
  "auth.operator_reopen": { method: "POST", path: "/api/v1/operator/tenants/{id}/reopen", body: "json" },
  "auth.create_organization": { method: "POST", path: "/api/v1/organizations", body: "json", idempotent: true },
  "auth.organizations": { method: "GET", path: "/api/v1/organizations", query: ["limit","offset"] },
  "auth.organization": { method: "GET", path: "/api/v1/organizations/{id}" },
  "auth.assign_tenant": { method: "POST", path: "/api/v1/organizations/{id}/tenants/{tenant_id}", body: "json" },
  "auth.release_tenant": { method: "DELETE", path: "/api/v1/organizations/{id}/tenants/{tenant_id}", answers: "nothing" },
  "auth.run_views": { method: "GET", path: "/api/v1/me/run-views" },
  "auth.put_run_views": { method: "PUT", path: "/api/v1/me/run-views", body: "json" },
  "auth.me": { method: "GET", path: "/api/v1/me" },
  "auth.account": { method: "GET", path: "/api/v1/auth/me" },
  "auth.sign_in_methods": { method: "GET", path: "/api/v1/auth/methods" },
  "auth.logout": { method: "POST", path: "/api/v1/auth/logout", body: "json", answers: "nothing" },
  "auth.list_sessions": { method: "GET", path: "/api/v1/auth/sessions", query: ["limit","offset"] },
  "auth.end_other_sessions": { method: "DELETE", path: "/api/v1/auth/sessions", answers: "nothing" },
  "auth.end_session": { method: "DELETE", path: "/api/v1/auth/sessions/{id}", answers: "nothing" },
  "auth.change_password": { method: "POST", path: "/api/v1/auth/password", body: "json" },
  "auth.request_password_reset": { method: "POST", path: "/api/v1/auth/password-reset", body: "json" },
  "auth.confirm_password_reset": { method: "POST", path: "/api/v1/auth/password-reset/confirm", body: "json", answers: "nothing" },
  "auth.verify_email": { method: "POST", path: "/api/v1/auth/verify-email", body: "json" },
  "auth.resend_verification": { method: "POST", path: "/api/v1/auth/verify-email/resend", body: "json" },
  "auth.complete_sign_in": { method: "POST", path: "/api/v1/auth/second-factor", body: "json" },
  "auth.confirm_identity": { method: "POST", path: "/api/v1/auth/confirm", body: "json", answers: "nothing" },
  "auth.begin_totp": { method: "POST", path: "/api/v1/auth/totp", body: "json" },
  "auth.remove_totp": { method: "DELETE", path: "/api/v1/auth/totp", answers: "nothing" },
  "auth.confirm_totp": { method: "POST", path: "/api/v1/auth/totp/confirm", body: "json" },
  "auth.renew_recovery_codes": { method: "POST", path: "/api/v1/auth/recovery-codes", body: "json" },
  "auth.reset_member_factor": { method: "DELETE", path: "/api/v1/team/members/{id}/second-factor", answers: "nothing" },
  "auth.begin_passkey_sign_in": { method: "POST", path: "/api/v1/auth/passkey/challenge", body: "json" },
  "auth.passkey_sign_in": { method: "POST", path: "/api/v1/auth/passkey", body: "json" },
  "auth.begin_passkey_factor": { method: "POST", path: "/api/v1/auth/second-factor/passkey", body: "json" },
  "auth.begin_passkey_confirmation": { method: "POST", path: "/api/v1/auth/confirm/passkey", body: "json" },
  "auth.begin_passkey": { method: "POST", path: "/api/v1/auth/passkeys/enrolment", body: "json" },
  "auth.add_passkey": { method: "POST", path: "/api/v1/auth/passkeys", body: "json" },
  "auth.list_passkeys": { method: "GET", path: "/api/v1/auth/passkeys", query: ["limit","offset"] },
  "auth.rename_passkey": { method: "PUT", path: "/api/v1/auth/passkeys/{id}", body: "json" },
  "auth.remove_passkey": { method: "DELETE", path: "/api/v1/auth/passkeys/{id}", answers: "nothing" },
  "auth.sso_config": { method: "GET", path: "/api/v1/sso/config" },
  "auth.update_sso": { method: "PUT", path: "/api/v1/sso/config", body: "json" },
  "auth.remove_sso": { method: "DELETE", path: "/api/v1/sso/config", answers: "nothing" },
  "auth.start_sso_test": { method: "POST", path: "/api/v1/sso/tests", body: "json" },
  "auth.sso_test": { method: "GET", path: "/api/v1/sso/tests/{id}" },
  "auth.sso_check": { method: "GET", path: "/api/v1/auth/sso/check", query: ["tenant_slug","email"] },
  "auth.members": { method: "GET", path: "/api/v1/team/members", query: ["limit","offset"] },
  "auth.invite": { method: "POST", path: "/api/v1/team/invite", body: "json", idempotent: true },
  "auth.invites": { method: "GET", path: "/api/v1/team/invites", query: ["limit","offset"] },
  "auth.withdraw_invite": { method: "DELETE", path: "/api/v1/team/invites/{id}", answers: "nothing" },
  "auth.create_service_account": { method: "POST", path: "/api/v1/team/service-accounts", body: "json", idempotent: true },
  "auth.accept_invite": { method: "POST", path: "/api/v1/auth/accept-invite", body: "json" },
  "auth.set_role": { method: "PUT", path: "/api/v1/team/members/{id}/role", body: "json" },
  "auth.end_member_sessions": { method: "DELETE", path: "/api/v1/team/members/{id}/sessions", answers: "nothing" },
  "auth.remove_member": { method: "DELETE", path: "/api/v1/team/members/{id}", answers: "nothing" },
  "billing.plans": { method: "GET", path: "/api/v1/billing/plans", query: ["limit","offset"] },
  "billing.subscription": { method: "GET", path: "/api/v1/billing/subscription" },
  "billing.metrics": { method: "GET", path: "/api/v1/metrics" },
  "billing.checkout": { method: "POST", path: "/api/v1/billing/checkout", body: "json", idempotent: true },
  "billing.portal": { method: "POST", path: "/api/v1/billing/portal", body: "json" },
  "channels.test_bot": { method: "POST", path: "/api/v1/test/bot-messenger", body: "json" },
  "channels.all_deliveries": { method: "GET", path: "/api/v1/deliveries", query: ["limit","offset","cursor","outcome","source","workflow_id"] },
  "channels.deliveries": { method: "GET", path: "/api/v1/workflows/{id}/deliveries", query: ["limit","offset","cursor","outcome","source"] },
  "channels.delivery": { method: "GET", path: "/api/v1/workflows/{id}/deliveries/{delivery_id}" },
  "channels.redeliver": { method: "POST", path: "/api/v1/workflows/{id}/deliveries/{delivery_id}/redeliver", idempotent: true },
  "connections.presets": { method: "GET", path: "/api/v1/oauth-presets", query: ["limit","offset"] },
  "connections.list_apps": { method: "GET", path: "/api/v1/oauth-apps", query: ["limit","offset"] },
  "connections.create_app": { method: "POST", path: "/api/v1/oauth-apps", body: "json", idempotent: true },
  "connections.get_app": { method: "GET", path: "/api/v1/oauth-apps/{id}" },
  "connections.update_app": { method: "PUT", path: "/api/v1/oauth-apps/{id}", body: "json" },
  "connections.remove_app": { method: "DELETE", path: "/api/v1/oauth-apps/{id}", answers: "nothing" },
  "connections.authorize_app": { method: "POST", path: "/api/v1/oauth-apps/{id}/authorize", body: "json", idempotent: true },
  "connections.oauth_status": { method: "GET", path: "/api/v1/oauth/status" },
  "connections.oauth_start_suite": { method: "POST", path: "/api/v1/oauth/suite/start", body: "json", idempotent: true },
  "connections.oauth_start_notes": { method: "POST", path: "/api/v1/oauth/notes/start", body: "json", idempotent: true },
  "connections.oauth_start_chat": { method: "POST", path: "/api/v1/oauth/chat/start", body: "json", idempotent: true },
  "connections.claim": { method: "POST", path: "/api/v1/oauth/claims", body: "json", idempotent: true },
  "connections.list": { method: "GET", path: "/api/v1/oauth/connections", query: ["limit","offset"] },
  "connections.create": { method: "POST", path: "/api/v1/connections", body: "json", idempotent: true },
  "connections.set_limits": { method: "PUT", path: "/api/v1/connections/{id}/limits", body: "json" },
  "connections.remove": { method: "DELETE", path: "/api/v1/oauth/connections/{id}", query: ["force"], answers: "nothing" },
  "connections.test": { method: "POST", path: "/api/v1/connections/{id}/test" },
  "connections.used_by": { method: "GET", path: "/api/v1/connections/{id}/used-by" },
  "connections.token": { method: "GET", path: "/api/v1/oauth/connections/{id}/token" },
  "connections.refresh": { method: "POST", path: "/api/v1/oauth/connections/{id}/refresh" },
  "connectors.list": { method: "GET", path: "/api/v1/connectors", query: ["include","limit","offset"] },
  "connectors.get": { method: "GET", path: "/api/v1/connectors/{name}" },
  "connectors.remove": { method: "DELETE", path: "/api/v1/connectors/{name}", answers: "nothing" },
  "connectors.import": { method: "POST", path: "/api/v1/connectors/import", body: "json", idempotent: true },
  "connectors.preview_import": { method: "POST", path: "/api/v1/connectors/import/preview", body: "json" },
  "evaluations.list_datasets": { method: "GET", path: "/api/v1/datasets", query: ["limit","offset","q"] },
  "evaluations.create_dataset": { method: "POST", path: "/api/v1/datasets", body: "json", idempotent: true },
  "evaluations.dataset": { method: "GET", path: "/api/v1/datasets/{id}" },
  "evaluations.update_dataset": { method: "PUT", path: "/api/v1/datasets/{id}", body: "json" },
  "evaluations.remove_dataset": { method: "DELETE", path: "/api/v1/datasets/{id}", query: ["force"], answers: "nothing" },
  "evaluations.dataset_tags": { method: "GET", path: "/api/v1/datasets/{id}/tags" },
  "evaluations.rows": { method: "GET", path: "/api/v1/datasets/{id}/rows", query: ["limit","offset","cursor","revision","tag","format"] },
  "evaluations.add_rows": { method: "POST", path: "/api/v1/datasets/{id}/rows", body: "json", idempotent: true },
  "evaluations.put_row": { method: "PUT", path: "/api/v1/datasets/{id}/rows/{row_id}", body: "json" },
  "evaluations.remove_row": { method: "DELETE", path: "/api/v1/datasets/{id}/rows/{row_id}", answers: "nothing" },
  "evaluations.add_from_runs": { method: "POST", path: "/api/v1/datasets/{id}/rows/from-runs", body: "json" },
  "evaluations.list": { method: "GET", path: "/api/v1/evaluations", query: ["limit","offset","cursor","dataset_id","workflow_id","status"] },
  "evaluations.create": { method: "POST", path: "/api/v1/evaluations", body: "json", idempotent: true },
  "evaluations.get": { method: "GET", path: "/api/v1/evaluations/{id}" },
  "evaluations.remove": { method: "DELETE", path: "/api/v1/evaluations/{id}", answers: "nothing" },
  "evaluations.results": { method: "GET", path: "/api/v1/evaluations/{id}/results", query: ["limit","offset","cursor","outcome","failed_metric","sort"] },
  "evaluations.cancel": { method: "POST", path: "/api/v1/evaluations/{id}/cancel" },
  "evaluations.rerun_failed": { method: "POST", path: "/api/v1/evaluations/{id}/rerun-failed" },
  "evaluations.compare": { method: "GET", path: "/api/v1/evaluations/{id}/compare/{other}", query: ["limit"] },
  "executions.workers": { method: "GET", path: "/api/v1/system/workers", query: ["limit","offset"] },
  "executions.list": { method: "GET", path: "/api/v1/executions", query: ["limit","offset","cursor","status","workflow_id","trials"] },
  "executions.visibility": { method: "GET", path: "/api/v1/executions/visibility", query: ["query","limit","offset","cursor","trials"] },
  "executions.activity": { method: "GET", path: "/api/v1/executions/activity", query: ["hours"] },
  "executions.get": { method: "GET", path: "/api/v1/executions/{id}", query: ["max_value_chars"] },
  "executions.timeline": { method: "GET", path: "/api/v1/executions/{id}/timeline", query: ["limit","offset","cursor","parent","loops","status"] },
  "executions.logs": { method: "GET", path: "/api/v1/executions/{id}/logs", query: ["after","step_id","path","attempt","limit"] },
  "executions.bulk": { method: "POST", path: "/api/v1/executions/bulk", body: "json", idempotent: true },
  "executions.detail": { method: "GET", path: "/api/v1/executions/{id}/detail", query: ["max_value_chars","include","values","limit","offset","cursor","parent","loops","status","step_id","path"] },
  "executions.cancel": { method: "POST", path: "/api/v1/executions/{id}/cancel" },
  "executions.pause": { method: "POST", path: "/api/v1/executions/{id}/pause", body: "json" },
  "executions.resume": { method: "POST", path: "/api/v1/executions/{id}/resume", body: "json" },
  "executions.retry": { method: "POST", path: "/api/v1/executions/{id}/retry", body: "json", idempotent: true },
  "executions.public": { method: "GET", path: "/public/executions/{id}" },
  "executions.signal": { method: "POST", path: "/api/v1/executions/{id}/signal", body: "json", idempotent: true },
  "executions.approvals": { method: "GET", path: "/api/v1/approvals", query: ["kind","mine","limit","offset"] },
  "executions.approvals_count": { method: "GET", path: "/api/v1/approvals/count" },
  "executions.decided": { method: "GET", path: "/api/v1/approvals/history", query: ["limit","cursor","mine"] },
  "executions.feedback": { method: "POST", path: "/api/v1/executions/{id}/steps/{step_id}/feedback", body: "json" },
  "executions.evaluate": { method: "POST", path: "/api/v1/expressions/evaluate", body: "json" },
  "executions.document": { method: "GET", path: "/api/v1/executions/{id}/document", query: ["values"] },
  "executions.overview": { method: "GET", path: "/api/v1/executions/{id}/overview" },
  "executions.operator_queues": { method: "GET", path: "/api/v1/operator/queues" },
  "executions.queues": { method: "GET", path: "/api/v1/queues", query: ["limit","offset","workflow_id","kind"] },
  "executions.breakdown": { method: "GET", path: "/api/v1/usage/breakdown", query: ["days"] },
  "executions.compare": { method: "GET", path: "/api/v1/executions/{id}/compare/{other}", query: ["limit","cursor","parent","differences","changes"] },
  "files.list": { method: "GET", path: "/api/v1/workspaces/runs/{exec_id}/files", query: ["limit","offset"] },
  "files.list_public": { method: "GET", path: "/public/executions/{id}/files", query: ["limit","offset"] },
  "knowledge.list": { method: "GET", path: "/api/v1/knowledge-bases", query: ["limit","offset"] },
  "knowledge.create": { method: "POST", path: "/api/v1/knowledge-bases", body: "json", idempotent: true },
  "knowledge.get": { method: "GET", path: "/api/v1/knowledge-bases/{id}" },
  "knowledge.update": { method: "PUT", path: "/api/v1/knowledge-bases/{id}", body: "json" },
  "knowledge.remove": { method: "DELETE", path: "/api/v1/knowledge-bases/{id}", query: ["force"], answers: "nothing" },
  "knowledge.query": { method: "POST", path: "/api/v1/knowledge-bases/{id}/query", body: "json" },
  "knowledge.documents": { method: "GET", path: "/api/v1/knowledge-bases/{id}/documents", query: ["limit","offset","status"] },
  "knowledge.add_document": { method: "POST", path: "/api/v1/knowledge-bases/{id}/documents", body: "json", idempotent: true },
  "knowledge.document": { method: "GET", path: "/api/v1/knowledge-bases/{base_id}/documents/{id}" },
  "knowledge.remove_document": { method: "DELETE", path: "/api/v1/knowledge-bases/{base_id}/documents/{id}", answers: "nothing" },
  "knowledge.chunks": { method: "GET", path: "/api/v1/knowledge-bases/{base_id}/documents/{id}/chunks", query: ["limit","offset"] },
  "knowledge.refresh": { method: "POST", path: "/api/v1/knowledge-bases/{base_id}/documents/{id}/refresh" },
  "processes.hosts": { method: "GET", path: "/api/v1/operator/hosts" },
  "processes.readiness": { method: "GET", path: "/api/v1/operator/readiness" },
  "scheduler.list": { method: "GET", path: "/api/v1/schedules", query: ["limit","offset","cursor","sort","paused","workflow_id","next_runs"] },
  "scheduler.pause": { method: "POST", path: "/api/v1/workflows/{id}/schedule/pause", body: "json" },
  "scheduler.resume": { method: "POST", path: "/api/v1/workflows/{id}/schedule/resume", body: "json" },
  "scheduler.fire": { method: "POST", path: "/api/v1/workflows/{id}/schedule/fire", body: "json", idempotent: true },
  "scheduler.backfill": { method: "POST", path: "/api/v1/workflows/{id}/schedule/backfill", body: "json" },
  "secrets.keys": { method: "GET", path: "/api/v1/system/keys" },
  "secrets.operator_keys": { method: "GET", path: "/api/v1/operator/keys" },
  "secrets.list": { method: "GET", path: "/api/v1/secrets", query: ["limit","offset"] },
  "secrets.put": { method: "POST", path: "/api/v1/secrets", body: "json", idempotent: true },
  "secrets.remove": { method: "DELETE", path: "/api/v1/secrets/{name}", query: ["force"], answers: "nothing" },
  "secrets.used_by": { method: "GET", path: "/api/v1/secrets/{name}/used-by" },
  "skills.list": { method: "GET", path: "/api/v1/skills", query: ["limit","offset"] },
  "skills.create": { method: "POST", path: "/api/v1/skills", body: "json", idempotent: true },
  "skills.get": { method: "GET", path: "/api/v1/skills/{id}" },
  "skills.update": { method: "PUT", path: "/api/v1/skills/{id}", body: "json" },
  "skills.remove": { method: "DELETE", path: "/api/v1/skills/{id}", query: ["force"], answers: "nothing" },
  "skills.publish": { method: "POST", path: "/api/v1/skills/{id}/publish", body: "json", idempotent: true },
  "skills.unpublish": { method: "POST", path: "/api/v1/skills/{id}/unpublish", body: "json" },
  "skills.published": { method: "GET", path: "/api/v1/skills/published", query: ["limit","offset"] },
  "skills.published_skill": { method: "GET", path: "/api/v1/skills/published/{id}", query: ["version"] },
  "skills.search": { method: "GET", path: "/api/v1/skills/registry/search", query: ["q","limit","offset"] },
  "skills.install": { method: "POST", path: "/api/v1/skills/registry/install", body: "json", idempotent: true },
  "workflows.list": { method: "GET", path: "/api/v1/workflows", query: ["limit","offset","q","tag","folder","status","enabled","trigger","env","sort","cursor"] },
  "workflows.create": { method: "POST", path: "/api/v1/workflows", body: "json", idempotent: true },
  "workflows.duplicate": { method: "POST", path: "/api/v1/workflows/{id}/duplicate", idempotent: true },
  "workflows.get": { method: "GET", path: "/api/v1/workflows/{id}" },
  "workflows.update": { method: "PUT", path: "/api/v1/workflows/{id}", headers: ["If-Match"], body: "json" },
  "workflows.remove": { method: "DELETE", path: "/api/v1/workflows/{id}", query: ["force"], answers: "nothing" },
  "workflows.enable": { method: "PUT", path: "/api/v1/workflows/{id}/enable" },
  "workflows.disable": { method: "PUT", path: "/api/v1/workflows/{id}/disable" },
  "workflows.approve": { method: "POST", path: "/api/v1/workflows/{id}/approve", body: "json" },
  "workflows.validate": { method: "POST", path: "/api/v1/workflows/validate", body: "json" },
  "workflows.used_by": { method: "GET", path: "/api/v1/workflows/{id}/used-by" },
  "workflows.folders": { method: "GET", path: "/api/v1/workflows/folders" },
  "workflows.export": { method: "GET", path: "/api/v1/workflows/{id}/export" },
  "workflows.import": { method: "POST", path: "/api/v1/workflows/import", body: "json", idempotent: true },
  "workflows.folder_list": { method: "GET", path: "/api/v1/folders", query: ["limit","offset"] },
  "workflows.folder_access": { method: "GET", path: "/api/v1/folders/{folder}/access" },
  "workflows.set_folder_access": { method: "PUT", path: "/api/v1/folders/{folder}/access", body: "json" },
  "workflows.remove_folder_access": { method: "DELETE", path: "/api/v1/folders/{folder}/access", answers: "nothing" },
  "workflows.health": { method: "GET", path: "/api/v1/workflows/{id}/health" },
  "workflows.health_all": { method: "GET", path: "/api/v1/workflows/health", query: ["limit","offset"] },
  "workflows.schedule": { method: "GET", path: "/api/v1/workflows/{id}/schedule" },
  "workflows.trigger": { method: "POST", path: "/api/v1/workflows/{id}/trigger", body: "json", idempotent: true },
  "workflows.signal": { method: "POST", path: "/api/v1/signals", body: "json", idempotent: true },
  "workflows.test_step": { method: "POST", path: "/api/v1/workflows/{id}/steps/{step_id}/test", body: "json" },
  "workflows.pin": { method: "PUT", path: "/api/v1/workflows/{id}/steps/{step_id}/pin", body: "json" },
  "workflows.unpin": { method: "DELETE", path: "/api/v1/workflows/{id}/steps/{step_id}/pin", answers: "nothing" },
  "workflows.custom_nodes": { method: "GET", path: "/api/v1/custom-nodes", query: ["limit","offset"] },
  "workflows.create_custom_node": { method: "POST", path: "/api/v1/custom-nodes", body: "json", idempotent: true },
  "workflows.get_custom_node": { method: "GET", path: "/api/v1/custom-nodes/{type}" },
  "workflows.update_custom_node": { method: "PUT", path: "/api/v1/custom-nodes/{type}", body: "json" },
  "workflows.remove_custom_node": { method: "DELETE", path: "/api/v1/custom-nodes/{type}", query: ["force"], answers: "nothing" },
  "workflows.test_custom_node": { method: "POST", path: "/api/v1/custom-nodes/{type}/test", body: "json" },
  "workflows.test_action": { method: "POST", path: "/api/v1/connectors/{name}/actions/{action}/test", body: "json" },
  "workflows.node_types": { method: "GET", path: "/api/v1/node-types", query: ["limit","offset","category","kind"] },
  "workflows.variables": { method: "GET", path: "/api/v1/variables", query: ["limit","offset"] },
  "workflows.put_variable": { method: "PUT", path: "/api/v1/variables/{name}", body: "json" },
  "workflows.remove_variable": { method: "DELETE", path: "/api/v1/variables/{name}", answers: "nothing" },
  "workflows.variable_used_by": { method: "GET", path: "/api/v1/variables/{name}/used-by" },
  "workflows.create_key": { method: "POST", path: "/api/v1/workflows/{id}/api-keys", body: "json", idempotent: true },
  "workflows.list_keys": { method: "GET", path: "/api/v1/workflows/{id}/api-keys", query: ["limit","offset"] },
  "workflows.revoke_key": { method: "DELETE", path: "/api/v1/workflows/{id}/api-keys/{key_id}", answers: "nothing" },
  "workflows.set_webhook_key": { method: "PUT", path: "/api/v1/workflows/{id}/webhook-key", body: "json" },
  "workflows.clear_webhook_key": { method: "DELETE", path: "/api/v1/workflows/{id}/webhook-key", answers: "nothing" },
  "workflows.all_chats": { method: "GET", path: "/api/v1/chat-deployments", query: ["limit","offset"] },
  "workflows.create_chat": { method: "POST", path: "/api/v1/workflows/{id}/chat-deployments", body: "json", idempotent: true },
  "workflows.chats": { method: "GET", path: "/api/v1/workflows/{id}/chat-deployments", query: ["limit","offset"] },
  "workflows.update_chat": { method: "PUT", path: "/api/v1/workflows/{id}/chat-deployments/{slug}", body: "json" },
  "workflows.remove_chat": { method: "DELETE", path: "/api/v1/workflows/{id}/chat-deployments/{slug}", answers: "nothing" },
  "workflows.form": { method: "GET", path: "/api/v1/workflows/{id}/form" },
  "workflows.create_form_link": { method: "POST", path: "/api/v1/workflows/{id}/form-links", body: "json" },
  "workflows.save_version": { method: "POST", path: "/api/v1/workflows/{id}/versions", body: "json", idempotent: true },
  "workflows.versions": { method: "GET", path: "/api/v1/workflows/{id}/versions", query: ["limit","offset"] },
  "workflows.version": { method: "GET", path: "/api/v1/workflows/{id}/versions/{version}" },
  "workflows.restore_version": { method: "POST", path: "/api/v1/workflows/{id}/versions/{version}/restore" },
  "workflows.compare_versions": { method: "GET", path: "/api/v1/workflows/{id}/versions/{from}/diff/{to}" },
  "workflows.draft": { method: "GET", path: "/api/v1/workflows/{id}/draft" },
  "workflows.put_draft": { method: "PUT", path: "/api/v1/workflows/{id}/draft", headers: ["If-Match","If-None-Match"], body: "json" },
  "workflows.remove_draft": { method: "DELETE", path: "/api/v1/workflows/{id}/draft", headers: ["If-Match"], answers: "nothing" },
  "workflows.diff_draft": { method: "GET", path: "/api/v1/workflows/{id}/draft/diff" },
  "workflows.publish": { method: "POST", path: "/api/v1/workflows/{id}/publish", headers: ["If-Match"], body: "json" },
  "workflows.try": { method: "POST", path: "/api/v1/workflows/try", query: ["wait"], body: "json" },
  "workflows.test_document_step": { method: "POST", path: "/api/v1/workflows/steps/test", body: "json" },
  "workflows.schema": { method: "GET", path: "/api/v1/schema" },
  "events.stream": { method: "GET", path: "/api/v1/events", answers: "events" },
  "executions.stream": { method: "GET", path: "/api/v1/executions/{id}/stream", query: ["last_event_id","from","deltas","logs","logs_after"], headers: ["Last-Event-ID"], answers: "events" },
  "executions.stream_public": { method: "GET", path: "/public/executions/{id}/stream", query: ["last_event_id","from"], headers: ["Last-Event-ID"], answers: "events" },
  "executions.decide_by_link": { method: "GET", path: "/api/v1/executions/{id}/approve/{step_id}", query: ["decision","comment","confirm"] },
  "knowledge.upload": { method: "POST", path: "/api/v1/knowledge-bases/{base_id}/documents/upload", body: "form" },
  "skills.upload": { method: "POST", path: "/api/v1/skills/parse", body: "form" },
  "evaluations.upload": { method: "POST", path: "/api/v1/datasets/{dataset_id}/rows/upload", body: "form" },
  "files.download": { method: "GET", path: "/api/v1/workspaces/runs/{exec_id}/files/{path}", headers: ["Range","If-None-Match","If-Match","If-Range"], answers: "response" },
  "files.download_by_link": { method: "GET", path: "/api/v1/downloads/{token}", answers: "response" },
  "files.download_shared": { method: "GET", path: "/api/v1/files/{id}/{filename}", headers: ["Range","If-None-Match","If-Match","If-Range"], answers: "response" },
  "chat.config": { method: "GET", path: "/public/chat/{slug}" },
  "chat.send": { method: "POST", path: "/public/chat/{slug}", body: "json", idempotent: true },
  "auth.sso_metadata": { method: "GET", path: "/api/v1/auth/sso/metadata", query: ["tenant_slug"], answers: "text" },
  "health.check_health": { method: "GET", path: "/health" },
  "health.check_live": { method: "GET", path: "/health/live" },
  "health.healthz": { method: "GET", path: "/healthz" },
  "health.check_ready": { method: "GET", path: "/health/ready" },
  "health.ready": { method: "GET", path: "/ready" },
  "docs.openapi": { method: "GET", path: "/openapi.json", headers: ["If-None-Match"] },
  "docs.page": { method: "GET", path: "/docs", headers: ["If-None-Match"], answers: "text" },
  "docs.script": { method: "GET", path: "/docs/app.js", headers: ["If-None-Match"], answers: "text" },
  "docs.requests": { method: "GET", path: "/docs/try.js", headers: ["If-None-Match"], answers: "text" },
  "docs.guides": { method: "GET", path: "/docs/guides", headers: ["If-None-Match"] },
  "docs.guide": { method: "GET", path: "/docs/guides/{name}", headers: ["If-None-Match"], answers: "text" },
};
