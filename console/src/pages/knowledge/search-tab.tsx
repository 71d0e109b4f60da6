import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type KnowledgeBaseView } from '../../api/client';
import { formatUsd } from '../../model/format';
import { parseJsonObject } from '../../model/json-input';
import { modeText, RERANK_PROVIDERS, rerankOf } from '../../model/knowledge';
import {
  Button,
  Card,
  EmptyState,
  Field,
  Form,
  type FormValues,
  Input,
  Loaded,
  Notice,
  Select,
  SkeletonRows,
  Textarea,
  TextField,
} from '../../ui';
import { SearchIcon } from '../../ui/icon';
import { Hit } from './hit';
import styles from './knowledge.module.css';

const DEFAULT_HITS = '5';

interface SearchTabProps {
  readonly base: KnowledgeBaseView;
  /** Empty: nothing is searched yet. */
  readonly query: string;
  readonly onSearch: (query: string) => void;
  readonly onOpen: (documentId: string) => void;
}

/** A search as steps and agents make it, with the reasons of the ranking. */
export function SearchTab({ base: { id, mode }, query, onSearch, onOpen }: SearchTabProps) {
  const [options, setOptions] = useState<object>({});
  const search = useQuery({
    queryKey: ['knowledge-search', id, query, options],
    queryFn: ({ signal }) => api.knowledge.query({ id, body: { query, explain: true, ...options } }, { signal }),
    enabled: query !== '',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const submit = async (values: FormValues): Promise<void> => {
    const wanted = values.query?.trim() ?? '';
    const next = optionsOf(values);
    setOptions(next);
    onSearch(wanted);
    if (wanted === query && JSON.stringify(next) === JSON.stringify(options)) await search.refetch();
  };
  return (
    <div className={styles.stack}>
      <Card>
        <Form label="Search" onSubmit={submit}>
          {() => (
            <>
              <div className={styles.question}>
                <Input
                  name="query"
                  aria-label="Question"
                  placeholder="What should be found?"
                  required
                  defaultValue={query}
                />
                <Button kind="primary" type="submit" icon={SearchIcon} busy={search.isFetching}>
                  Search
                </Button>
              </div>
              <SearchOptions />
            </>
          )}
        </Form>
      </Card>
      {query === '' ? (
        <Card>
          <EmptyState icon={SearchIcon} title="Try a question">
            {`The base is searched by ${modeText(mode).toLowerCase()}. Each hit shows its ranks and scores, as steps and agents get it.`}
          </EmptyState>
        </Card>
      ) : (
        <Loaded query={search} skeleton={<SkeletonRows rows={5} label="Searching" />}>
          {(answer) => (
            <>
              {answer.warnings.map((warning) => (
                <Notice key={warning} tone="warn">
                  {warning}
                </Notice>
              ))}
              {answer.usage !== undefined && (
                <p className={styles.meta}>
                  {`${answer.usage.input_tokens} tokens for the vector of the question`}
                  {answer.usage.cost_usd !== null && `, ${formatUsd(answer.usage.cost_usd)}`}
                </p>
              )}
              {answer.data.length === 0 ? (
                <Card>
                  <EmptyState icon={SearchIcon} title="Nothing was found">
                    No part has words of the question, or the filter leaves none.
                  </EmptyState>
                </Card>
              ) : (
                <ol className={styles.hits} aria-label="Hits">
                  {answer.data.map((hit, at) => (
                    <Hit key={hit.chunk_id} hit={hit} place={at + 1} mode={answer.mode} onOpen={onOpen} />
                  ))}
                </ol>
              )}
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}

function SearchOptions() {
  const [provider, setProvider] = useState('');
  return (
    <details className={styles.options}>
      <summary>Hits, filter and reranking</summary>
      <div className={styles.fields}>
        <TextField name="top_k" label="Hits" type="number" defaultValue={DEFAULT_HITS} />
        <TextField name="min_score" label="Lowest score" hint="0 to 1" optional />
        <Field label="Reranking" hint="A model that reads the question with each hit.">
          <Select
            name="provider"
            options={RERANK_PROVIDERS}
            value={provider}
            onChange={({ currentTarget: { value } }) => setProvider(value)}
          />
        </Field>
        {provider !== '' && (
          <>
            <TextField name="model" label="Model" placeholder="rerank-v3.5" />
            <TextField name="base_url" label="Address of the server" type="url" optional={provider !== 'compatible'} />
            <TextField name="api_key" label="Key" placeholder="{{ secret.RERANK_KEY }}" optional />
          </>
        )}
      </div>
      <Field label="Filter" hint="Of metadata, as JSON." optional>
        <Textarea name="filter" code rows={2} placeholder='{ "department": "people" }' spellCheck={false} />
      </Field>
    </details>
  );
}

function optionsOf(values: FormValues): object {
  const { top_k: hits = '', min_score: min = '', filter = '' } = values;
  const rerank = rerankOf(values);
  return {
    ...(hits === '' ? {} : { top_k: Number(hits) }),
    ...(min === '' ? {} : { min_score: Number(min) }),
    ...(filter.trim() === '' ? {} : { filter: parseJsonObject(filter) }),
    ...(rerank && { rerank }),
  };
}
