/**
 * All metrics; docs/metrics.md, the dashboard and the alerts are checked against this table. Labels have few values: no
 * ids, tenants or paths, and no names chosen by tenants; those are `custom` or `other`.
 */

/**
 * One metric. `maxSeries`: default 200. `values`: values of its only label that are present from the start, with zero:
 * Prometheus sees no increase in a series that begins with one.
 */
export type Metric =
  | {
      readonly kind: 'counter' | 'gauge';
      readonly name: string;
      readonly help: string;
      readonly labels: Labels;
      readonly values?: readonly string[];
      readonly maxSeries?: number;
    }
  | {
      readonly kind: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly labels: Labels;
      readonly bounds: readonly number[];
      readonly maxSeries?: number;
    };

type Labels = readonly [] | readonly [string] | readonly [string, string] | readonly [string, string, string];

/** Seconds, from a write of 0.5 ms to the maximum duration of a request. */
const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;
const REQUEST = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60] as const;
const LATENESS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;
const STEP = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300] as const;
/** Durations of runs, which may wait for days. */
const LONG = [0.01, 0.05, 0.25, 1, 5, 30, 300, 3_600, 86_400, 604_800] as const;

export const METRICS = {
  build: {
    kind: 'gauge',
    name: 'everstep_build_info',
    help: 'Always 1; the labels have the versions',
    labels: ['version', 'node'],
  },
  collectorsFailed: {
    kind: 'counter',
    name: 'everstep_metrics_failures_total',
    help: 'Collectors that failed before a scrape, or did not finish in four seconds: their gauges are older than the scrape',
    labels: [],
  },
  httpDuration: {
    kind: 'histogram',
    name: 'everstep_http_request_duration_seconds',
    help: 'Time from a request to the end of its response, by the pattern of its route; status is a class such as 2xx, or aborted',
    labels: ['route', 'method', 'status'],
    bounds: REQUEST,
    maxSeries: 1_500,
  },
  httpInFlight: {
    kind: 'gauge',
    name: 'everstep_http_requests_in_flight',
    help: 'Requests in progress, including streams',
    labels: [],
  },
  deliveries: {
    kind: 'counter',
    name: 'everstep_deliveries_total',
    help: 'Webhook and message requests by source and outcome: started, replayed (a duplicate), refused, ignored',
    labels: ['source', 'outcome'],
  },
  executionsStarted: {
    kind: 'counter',
    name: 'everstep_executions_started_total',
    help: 'Accepted executions, by trigger',
    labels: ['trigger'],
  },
  executionsEnded: {
    kind: 'counter',
    name: 'everstep_executions_ended_total',
    help: 'Executions that ended on this host, by status',
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
    help: 'Active executions on this host: running, or waiting for a moment only',
    labels: ['state'],
  },
  databaseConnections: {
    kind: 'gauge',
    name: 'everstep_database_connections',
    help: 'Open connections of steps to databases and caches on this host: busy or idle',
    labels: ['state'],
  },
  executorCapacity: {
    kind: 'gauge',
    name: 'everstep_executor_capacity',
    help: 'Maximum executions in memory on this host',
    labels: [],
  },
  executorLoad: {
    kind: 'gauge',
    name: 'everstep_executor_load_ratio',
    help: 'Used share of the capacity, from 0 to 1',
    labels: [],
  },
  executionsReady: {
    kind: 'gauge',
    name: 'everstep_executions_ready',
    help: 'Executions that are due and not claimed by any host; counted up to 1000',
    labels: [],
  },
  executionsWaiting: {
    kind: 'gauge',
    name: 'everstep_executions_waiting',
    help: 'Parked executions of all hosts, by what they wait for; sampled each half minute among the 5000 that are due first',
    labels: ['wait'],
  },
  stays: {
    kind: 'counter',
    name: 'everstep_stays_total',
    help: 'Executions removed from the memory of this host, by reason: ended, released (it waits), lost, broken, aside, stopped',
    labels: ['verdict'],
    values: ['ended', 'released', 'lost', 'broken', 'aside', 'stopped'],
  },
  steps: {
    kind: 'counter',
    name: 'everstep_steps_total',
    help: 'Attempts of steps, by type and outcome: done, cached, fail, wait and so on',
    labels: ['type', 'outcome'],
    maxSeries: 1_500,
  },
  stepDuration: {
    kind: 'histogram',
    name: 'everstep_step_duration_seconds',
    help: 'Duration of attempts of steps, by type',
    labels: ['type'],
    bounds: STEP,
    maxSeries: 500,
  },
  journalEntries: {
    kind: 'counter',
    name: 'everstep_journal_entries_total',
    help: 'Journal entries that were stored',
    labels: [],
  },
  journalBytes: {
    kind: 'counter',
    name: 'everstep_journal_bytes_total',
    help: 'Size of the records of journal entries',
    labels: [],
  },
  journalFlush: {
    kind: 'histogram',
    name: 'everstep_journal_flush_duration_seconds',
    help: 'Time until a record was durable, without records that are stored with the end of a run',
    labels: [],
    bounds: SHORT,
  },
  claimLag: {
    kind: 'histogram',
    name: 'everstep_claim_lag_seconds',
    help: 'Time between when an execution was due and when a host claimed it',
    labels: [],
    bounds: LATENESS,
  },
  leaseRenewals: {
    kind: 'counter',
    name: 'everstep_lease_renewals_total',
    help: 'Renewals of the lease of this host: ok, late (after the next one was due), lost',
    labels: ['result'],
    values: ['ok', 'late', 'lost'],
  },
  takenOver: {
    kind: 'counter',
    name: 'everstep_executions_taken_over_total',
    help: 'Executions of dead hosts that this host released',
    labels: [],
  },
  executionsPoisoned: {
    kind: 'counter',
    name: 'everstep_executions_poisoned_total',
    help: 'Executions that this host ended with the error poisoned: their hosts crashed several times in a row without progress',
    labels: [],
  },
  threadHeld: {
    kind: 'histogram',
    name: 'everstep_execution_thread_held_seconds',
    help: 'Uninterrupted work of one execution that held the main thread for 100 ms or longer; the log names the execution',
    labels: [],
    bounds: LATENESS,
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
    help: 'Time between a fire time of a schedule and its start',
    labels: [],
    bounds: LATENESS,
  },
  scheduleSlots: {
    kind: 'counter',
    name: 'everstep_schedule_slots_total',
    help: 'Fire times of schedules, by outcome: fired, late, missed, failed, refused, skipped',
    labels: ['outcome'],
    values: ['fired', 'late', 'missed', 'failed', 'refused', 'skipped'],
  },
  polls: {
    kind: 'counter',
    name: 'everstep_polls_total',
    help: 'Polls of sources, by type and outcome: ok, failed',
    labels: ['type', 'outcome'],
  },
  pollDuration: {
    kind: 'histogram',
    name: 'everstep_poll_duration_seconds',
    help: 'Duration of polls of sources',
    labels: [],
    bounds: STEP,
  },
  llmTokens: {
    kind: 'counter',
    name: 'everstep_llm_tokens_total',
    help: 'Tokens of language models; direction is input or output, model is other if it is not in the price list',
    labels: ['provider', 'model', 'direction'],
  },
  llmCost: {
    kind: 'counter',
    name: 'everstep_llm_cost_usd_total',
    help: 'Costs of language models in USD, where prices are known',
    labels: ['provider', 'model'],
  },
  knowledgeDocuments: {
    kind: 'counter',
    name: 'everstep_knowledge_documents_total',
    help: 'Documents processed, by outcome: ready, retried (continues later), failed',
    labels: ['outcome'],
  },
  knowledgeSearch: {
    kind: 'histogram',
    name: 'everstep_knowledge_search_duration_seconds',
    help: 'Duration of knowledge base searches, by mode: lexical, or hybrid, which uses a model',
    labels: ['mode'],
    bounds: REQUEST,
  },
  storeDuration: {
    kind: 'histogram',
    name: 'everstep_store_command_duration_seconds',
    help: 'Duration of database commands, as seen by the client',
    labels: ['command'],
    bounds: SHORT,
  },
  storeFailures: {
    kind: 'counter',
    name: 'everstep_store_command_failures_total',
    help: 'Database commands that failed',
    labels: ['command'],
  },
  storeConnections: {
    kind: 'gauge',
    name: 'everstep_store_connections',
    help: 'Database connections: open, and in_use',
    labels: ['state'],
  },
  storeSize: {
    kind: 'gauge',
    name: 'everstep_store_size_bytes',
    help: 'Size of the files of the built-in store; absent with MONGO_URL',
    labels: [],
  },
  spans: {
    kind: 'counter',
    name: 'everstep_trace_spans_total',
    help: 'Spans for the trace collector: exported, or dropped because it was unavailable for too long',
    labels: ['outcome'],
  },
  eventLoopDelay: {
    kind: 'gauge',
    name: 'everstep_event_loop_delay_seconds',
    help: 'Event loop delay since the last scrape, as p50, p99 and max',
    labels: ['percentile'],
  },
  gcDuration: {
    kind: 'histogram',
    name: 'everstep_gc_duration_seconds',
    help: 'Pauses for garbage collection, by kind: major, minor, incremental, weakcb',
    labels: ['kind'],
    bounds: SHORT,
  },
  heapUsed: { kind: 'gauge', name: 'everstep_heap_used_bytes', help: 'JavaScript objects', labels: [] },
  heapTotal: { kind: 'gauge', name: 'everstep_heap_size_bytes', help: 'Size of the V8 heap', labels: [] },
  externalMemory: {
    kind: 'gauge',
    name: 'everstep_external_memory_bytes',
    help: 'Memory outside of the heap, mainly buffers',
    labels: [],
  },
  residentMemory: {
    kind: 'gauge',
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process',
    labels: [],
  },
  cpu: { kind: 'counter', name: 'process_cpu_seconds_total', help: 'Processor time, user and system', labels: [] },
  startTime: {
    kind: 'gauge',
    name: 'process_start_time_seconds',
    help: 'Start time of the process, in seconds since 1970',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricTable = typeof METRICS;
