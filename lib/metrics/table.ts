/**
 * Every metric that there is: docs/metrics.md, the dashboard and the alerts are checked against it. Labels take few values:
 * no ids, no tenants, no paths, and no names that tenants make; those are `custom` or `other`.
 */

/**
 * One metric. `most`: how many series it may have; 200 where nothing is said. `values`: those of its only label that are
 * told from the start, with zero: Prometheus sees no increase in a series that begins with one.
 */
export type Metric =
  | {
      readonly kind: 'counter' | 'gauge';
      readonly name: string;
      readonly help: string;
      readonly labels: Labels;
      readonly values?: readonly string[];
      readonly most?: number;
    }
  | {
      readonly kind: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly labels: Labels;
      readonly bounds: readonly number[];
      readonly most?: number;
    };

type Labels = readonly [] | readonly [string] | readonly [string, string] | readonly [string, string, string];

/** Seconds, from half a millisecond of a write to the time that a request may take. */
const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;
const REQUEST = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60] as const;
const LATENESS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;
const STEP = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300] as const;
/** Of runs, which may wait for days. */
const LONG = [0.01, 0.05, 0.25, 1, 5, 30, 300, 3_600, 86_400, 604_800] as const;

export const METRICS = {
  build: {
    kind: 'gauge',
    name: 'everstep_build_info',
    help: 'Always 1; the labels say what runs',
    labels: ['version', 'node'],
  },
  looksFailed: {
    kind: 'counter',
    name: 'everstep_metrics_failures_total',
    help: 'Looks before a scrape that have failed, or were not over in four seconds: what they set is older than the scrape',
    labels: [],
  },
  httpDuration: {
    kind: 'histogram',
    name: 'everstep_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer, by the pattern of its route; status is a class such as 2xx, or aborted',
    labels: ['route', 'method', 'status'],
    bounds: REQUEST,
    most: 1_500,
  },
  httpInFlight: {
    kind: 'gauge',
    name: 'everstep_http_requests_in_flight',
    help: 'Requests that are being answered, streams among them',
    labels: [],
  },
  deliveries: {
    kind: 'counter',
    name: 'everstep_deliveries_total',
    help: 'Requests for workflows from outside, by door and by what they came to: started, replayed (a duplicate), refused, ignored',
    labels: ['source', 'outcome'],
  },
  executionsStarted: {
    kind: 'counter',
    name: 'everstep_executions_started_total',
    help: 'Executions that were accepted, by what started them',
    labels: ['trigger'],
  },
  executionsEnded: {
    kind: 'counter',
    name: 'everstep_executions_ended_total',
    help: 'Executions that have ended on this host, by status',
    labels: ['status'],
  },
  executionDuration: {
    kind: 'histogram',
    name: 'everstep_execution_duration_seconds',
    help: 'Time from the start of an execution to its end, waits included',
    labels: ['status'],
    bounds: LONG,
  },
  executionsInMemory: {
    kind: 'gauge',
    name: 'everstep_executions_in_memory',
    help: 'Executions that are alive on this host: running, or about to wait for no more than a moment',
    labels: ['state'],
  },
  executorCapacity: {
    kind: 'gauge',
    name: 'everstep_executor_capacity',
    help: 'Executions that this host keeps in memory at most',
    labels: [],
  },
  executorLoad: {
    kind: 'gauge',
    name: 'everstep_executor_load_ratio',
    help: 'Share of the capacity that is in use; above 1 never',
    labels: [],
  },
  executionsReady: {
    kind: 'gauge',
    name: 'everstep_executions_ready',
    help: 'Executions of all hosts that are due and that no host has claimed yet; counted up to 1000',
    labels: [],
  },
  executionsWaiting: {
    kind: 'gauge',
    name: 'everstep_executions_waiting',
    help: 'Executions of all hosts that are in no memory, by what they wait for; looked at each half minute, among the 5000 that are due first',
    labels: ['wait'],
  },
  stays: {
    kind: 'counter',
    name: 'everstep_stays_total',
    help: 'Times that an execution has left the memory of this host, by why: ended, released (it waits), lost, broken, aside, stopped',
    labels: ['verdict'],
    values: ['ended', 'released', 'lost', 'broken', 'aside', 'stopped'],
  },
  steps: {
    kind: 'counter',
    name: 'everstep_steps_total',
    help: 'Attempts of steps, by type and by what they came to: done, cached, fail, wait and so on',
    labels: ['type', 'outcome'],
    most: 1_500,
  },
  stepDuration: {
    kind: 'histogram',
    name: 'everstep_step_duration_seconds',
    help: 'Time that attempts of steps took, by type',
    labels: ['type'],
    bounds: STEP,
    most: 500,
  },
  journalEntries: {
    kind: 'counter',
    name: 'everstep_journal_entries_total',
    help: 'Entries of histories that were recorded',
    labels: [],
  },
  journalBytes: {
    kind: 'counter',
    name: 'everstep_journal_bytes_total',
    help: 'Size of the records in which they stand',
    labels: [],
  },
  journalFlush: {
    kind: 'histogram',
    name: 'everstep_journal_flush_duration_seconds',
    help: 'Time until a record was durable; records that are stored with the end of a run are not among them',
    labels: [],
    bounds: SHORT,
  },
  claimLag: {
    kind: 'histogram',
    name: 'everstep_claim_lag_seconds',
    help: 'Time for which an execution was due before a host claimed it',
    labels: [],
    bounds: LATENESS,
  },
  leaseRenewals: {
    kind: 'counter',
    name: 'everstep_lease_renewals_total',
    help: 'Renewals of the lease of this host: ok, late (beyond the time of the next one), lost',
    labels: ['result'],
    values: ['ok', 'late', 'lost'],
  },
  takenOver: {
    kind: 'counter',
    name: 'everstep_executions_taken_over_total',
    help: 'Executions of dead hosts that this host has freed for others',
    labels: [],
  },
  timerLateness: {
    kind: 'histogram',
    name: 'everstep_timer_lateness_seconds',
    help: 'Time between when a timer of an execution in memory was due and when it fired',
    labels: [],
    bounds: LATENESS,
  },
  scheduleLateness: {
    kind: 'histogram',
    name: 'everstep_schedule_lateness_seconds',
    help: 'Time between a slot of a schedule and its start',
    labels: [],
    bounds: LATENESS,
  },
  scheduleSlots: {
    kind: 'counter',
    name: 'everstep_schedule_slots_total',
    help: 'Slots of schedules, by what became of them: fired, late, missed, failed, refused, skipped',
    labels: ['outcome'],
    values: ['fired', 'late', 'missed', 'failed', 'refused', 'skipped'],
  },
  polls: {
    kind: 'counter',
    name: 'everstep_polls_total',
    help: 'Questions to sources, by type and by whether they were answered: ok, failed',
    labels: ['type', 'outcome'],
  },
  pollDuration: {
    kind: 'histogram',
    name: 'everstep_poll_duration_seconds',
    help: 'Time that questions to sources took',
    labels: [],
    bounds: STEP,
  },
  llmTokens: {
    kind: 'counter',
    name: 'everstep_llm_tokens_total',
    help: 'Tokens of language models; direction is input or output, model is other where it is in no price list',
    labels: ['provider', 'model', 'direction'],
  },
  llmCost: {
    kind: 'counter',
    name: 'everstep_llm_cost_usd_total',
    help: 'Costs of language models in USD, as far as prices are known',
    labels: ['provider', 'model'],
  },
  knowledgeDocuments: {
    kind: 'counter',
    name: 'everstep_knowledge_documents_total',
    help: 'Documents whose reading has ended, by how: ready, retried (it goes on later), failed',
    labels: ['outcome'],
  },
  knowledgeSearch: {
    kind: 'histogram',
    name: 'everstep_knowledge_search_duration_seconds',
    help: 'Time that questions to knowledge bases took, by mode: lexical, or hybrid, which asks a model',
    labels: ['mode'],
    bounds: REQUEST,
  },
  storeDuration: {
    kind: 'histogram',
    name: 'everstep_store_command_duration_seconds',
    help: 'Time that commands to the database took, from this side of the connection',
    labels: ['command'],
    bounds: SHORT,
  },
  storeFailures: {
    kind: 'counter',
    name: 'everstep_store_command_failures_total',
    help: 'Commands that the database has refused, or that were cut off',
    labels: ['command'],
  },
  storeConnections: {
    kind: 'gauge',
    name: 'everstep_store_connections',
    help: 'Connections to the database: open, and in_use',
    labels: ['state'],
  },
  storeSize: {
    kind: 'gauge',
    name: 'everstep_store_size_bytes',
    help: 'Files of the built-in store; absent with MONGO_URL',
    labels: [],
  },
  spans: {
    kind: 'counter',
    name: 'everstep_trace_spans_total',
    help: 'Spans for the collector of traces: exported, or dropped, because it was away for too long',
    labels: ['outcome'],
  },
  eventLoopDelay: {
    kind: 'gauge',
    name: 'everstep_event_loop_delay_seconds',
    help: 'By how much the event loop was late since the last look, as p50, p99 and max',
    labels: ['percentile'],
  },
  gcDuration: {
    kind: 'histogram',
    name: 'everstep_gc_duration_seconds',
    help: 'Pauses of the garbage collection, by kind: major, minor, incremental, weakcb',
    labels: ['kind'],
    bounds: SHORT,
  },
  heapUsed: { kind: 'gauge', name: 'everstep_heap_used_bytes', help: 'JavaScript objects', labels: [] },
  heapTotal: { kind: 'gauge', name: 'everstep_heap_size_bytes', help: 'Memory that V8 holds for them', labels: [] },
  externalMemory: {
    kind: 'gauge',
    name: 'everstep_external_memory_bytes',
    help: 'Memory of buffers outside of the heap',
    labels: [],
  },
  residentMemory: {
    kind: 'gauge',
    name: 'process_resident_memory_bytes',
    help: 'Memory of the whole process',
    labels: [],
  },
  cpu: { kind: 'counter', name: 'process_cpu_seconds_total', help: 'Processor time, user and system', labels: [] },
  startTime: {
    kind: 'gauge',
    name: 'process_start_time_seconds',
    help: 'When the process was started, in seconds since 1970',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricTable = typeof METRICS;
