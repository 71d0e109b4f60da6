/** Why a metric has no score, in words for the author of the evaluation. It would fail again. */
export class MetricFault extends Error {}
