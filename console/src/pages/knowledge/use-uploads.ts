import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../api/client';
import { toast } from '../../ui';

/** Files sent at a time. */
const MAX_CONCURRENT = 2;

/** A file that is not in the base yet. */
export interface Upload {
  readonly key: number;
  readonly file: File;
  /** Why it was refused; null while it is sent. */
  readonly problem: string | null;
}

/** Sends files to a base, some at a time. A file stays in the list until the base has it, or with the reason why not. */
export function useUploads(baseId: string) {
  const client = useQueryClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const state = useRef({ sending: 0, lastKey: 0, waiting: [] as Upload[] });

  const drop = (key: number): void => setUploads((all) => all.filter((each) => each.key !== key));
  const send = async ({ key, file }: Upload): Promise<void> => {
    try {
      const { duplicate, name } = await api.knowledge.upload({ base_id: baseId, body: { file } });
      if (duplicate === true) toast(`The base has ${file.name} already, as ${name}`);
      drop(key);
      await client.invalidateQueries({ queryKey: ['knowledge', baseId] });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      setUploads((all) => all.map((each) => (each.key === key ? { ...each, problem } : each)));
    }
  };
  const sendNext = (): void => {
    while (state.current.sending < MAX_CONCURRENT) {
      const next = state.current.waiting.shift();
      if (next === undefined) return;
      state.current.sending += 1;
      void send(next).finally(() => {
        state.current.sending -= 1;
        sendNext();
      });
    }
  };
  const start = (added: readonly Upload[]): void => {
    state.current.waiting.push(...added);
    sendNext();
  };
  return {
    uploads,
    drop,
    add(files: readonly File[]): void {
      const added = files.map((file) => ({ key: (state.current.lastKey += 1), file, problem: null }));
      setUploads((all) => [...all, ...added]);
      start(added);
    },
    retry(upload: Upload): void {
      const again = { ...upload, problem: null };
      setUploads((all) => all.map((each) => (each.key === upload.key ? again : each)));
      start([again]);
    },
  };
}
