import { useEffect, useState } from 'react';
import { api } from '../../api/client';
import type { JsonObject } from '../../model/document';
import type { Problems } from './editor-context';

const DELAY_MS = 300;
const NONE: Problems = { errors: [], warnings: [], isChecking: true };

/** Findings of the server about the document, some time after the last change. */
export function useValidation(document: JsonObject): Problems {
  const [problems, setProblems] = useState(NONE);
  useEffect(() => {
    const stop = new AbortController();
    setProblems((before) => (before.isChecking ? before : { ...before, isChecking: true }));
    const timer = setTimeout(() => {
      api.workflows
        .validate({ body: { dsl: document } }, { signal: stop.signal })
        .then(({ errors, warnings }) => setProblems({ errors, warnings, isChecking: false }))
        .catch((error: unknown) => {
          if (stop.signal.aborted) return;
          const message = error instanceof Error ? error.message : String(error);
          setProblems({ errors: [], warnings: [{ path: '', message: `Not checked: ${message}` }], isChecking: false });
        });
    }, DELAY_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [document]);
  return problems;
}
