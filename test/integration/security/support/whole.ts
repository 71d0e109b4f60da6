import { allServices } from '../../../support/services';
import { type LlmServer, startLlmServer } from '../../../support/llm-server';
import { startApp, type TestApp } from '../../../support/app';

/** Every service of the product in one process, with a model that answers `{}`. */
export interface Whole {
  readonly t: TestApp;
  readonly url: string;
  /** All lines that the services have logged, at every level. */
  readonly log: readonly string[];
  close(): Promise<void>;
}

export async function openWhole(env: Record<string, string> = {}): Promise<Whole> {
  const models: LlmServer = await startLlmServer(() => ({ kind: 'text', text: '{}' }));
  const log: string[] = [];
  const t = await startApp({
    env: {
      EGRESS_ALLOW: '127.0.0.1',
      LLM_OPENAI_COMPATIBLE_BASE_URL: models.baseUrl.openai,
      LLM_OPENAI_COMPATIBLE_MODEL: 'any',
      ...env,
    },
    log: (line) => log.push(line),
    services: [allServices],
  });
  return {
    t,
    url: t.url,
    log,
    close: async () => {
      await t.close();
      await models.close();
    },
  };
}
