import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { pagesByCursor, whileNotScrolled } from '../../app/paging';
import { isActive } from '../../model/evaluations';

const PAGE_ROWS = 50;
const RESULT_ROWS = 100;
const REFRESH_MS = 5_000;
/** While an evaluation runs. */
const PROGRESS_MS = 1_500;
/** Evaluations in the chart of a workflow. */
const HISTORY = 30;
const CHOICES = 200;
const VERSIONS = 100;

/** Newest first. */
export const evaluationsQuery = (workflow: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['evaluations', 'list', workflow],
    queryFn: ({ pageParam, signal }) =>
      api.evaluations.list(
        {
          limit: PAGE_ROWS,
          ...(workflow === undefined ? {} : { workflow_id: workflow }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    ...pagesByCursor,
    refetchInterval: whileNotScrolled(REFRESH_MS),
  });

/** The last evaluations of a workflow, for its chart. */
export const historyQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['evaluations', 'history', workflow],
    queryFn: ({ signal }) => api.evaluations.list({ workflow_id: workflow, limit: HISTORY }, { signal }),
    refetchInterval: REFRESH_MS,
  });

export const evaluationQuery = (id: string) =>
  queryOptions({
    queryKey: ['evaluations', 'one', id],
    queryFn: ({ signal }) => api.evaluations.get({ id }, { signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isActive(state.data) ? PROGRESS_MS : false),
  });

const OUTCOMES = ['passed', 'failed', 'error'] as const;
const SORTS = ['score', '-score'] as const;

/** As the address has it; words that are not known are left out. */
interface ResultFilter {
  readonly outcome?: string | undefined;
  readonly metric?: string | undefined;
  readonly sort?: string | undefined;
}

/** `active`: the evaluation goes on, so results come in. */
export const resultsQuery = (id: string, { metric, ...given }: ResultFilter, active: boolean) => {
  const outcome = OUTCOMES.find((word) => word === given.outcome);
  const sort = SORTS.find((word) => word === given.sort);
  return infiniteQueryOptions({
    queryKey: ['evaluations', 'results', id, outcome, metric, sort],
    queryFn: ({ pageParam, signal }) =>
      api.evaluations.results(
        {
          id,
          limit: RESULT_ROWS,
          ...(outcome === undefined ? {} : { outcome }),
          ...(metric === undefined ? {} : { failed_metric: metric }),
          ...(sort === undefined ? {} : { sort }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    ...pagesByCursor,
    refetchInterval: active ? whileNotScrolled(PROGRESS_MS * 2) : false,
  });
};

export const comparisonQuery = (id: string, other: string) =>
  queryOptions({
    queryKey: ['evaluations', 'compare', id, other],
    queryFn: ({ signal }) => api.evaluations.compare({ id, other, limit: 100 }, { signal }),
  });

/** Evaluations over a data set, to compare with. */
export const sameDatasetQuery = (dataset: string) =>
  queryOptions({
    queryKey: ['evaluations', 'dataset', dataset],
    queryFn: ({ signal }) => api.evaluations.list({ dataset_id: dataset, limit: HISTORY }, { signal }),
  });

export const workflowChoicesQuery = queryOptions({
  queryKey: ['workflows', 'choices'],
  queryFn: ({ signal }) => api.workflows.list({ limit: CHOICES, sort: 'name' }, { signal }),
});

export const datasetChoicesQuery = queryOptions({
  queryKey: ['datasets', 'list'],
  queryFn: ({ signal }) => api.evaluations.list_datasets({ limit: CHOICES }, { signal }),
});

/** Saved versions of a workflow, newest first. */
export const versionsQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['workflows', workflow, 'versions'],
    queryFn: ({ signal }) => api.workflows.versions({ id: workflow, limit: VERSIONS }, { signal }),
    enabled: workflow !== '',
  });

/** The document that an evaluation would run; null for a draft that does not exist. */
export const documentQuery = (workflow: string, version: string) =>
  queryOptions({
    queryKey: ['workflows', workflow, 'document', version],
    queryFn: async ({ signal }) => {
      if (version === 'live') return (await api.workflows.get({ id: workflow }, { signal })).dsl;
      if (version === 'draft') return (await api.workflows.draft({ id: workflow }, { signal }))?.dsl ?? null;
      return (await api.workflows.version({ id: workflow, version }, { signal })).dsl;
    },
    enabled: workflow !== '',
  });

export const datasetTagsQuery = (dataset: string) =>
  queryOptions({
    queryKey: ['datasets', 'tags', dataset],
    queryFn: ({ signal }) => api.evaluations.dataset_tags({ id: dataset }, { signal }),
    enabled: dataset !== '',
  });
