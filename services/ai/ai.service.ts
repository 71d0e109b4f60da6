import { aiContract } from '../../contracts/ai';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { changeOf, generateWorkflow } from './generate';
import { Models } from './models';
import { languagePages, languageReference } from './reference';
import { RateLimiter } from './rate-limiter';
import { catalogueOf } from '../../lib/page';
import { AppError } from '../../lib/errors';
import { type JsonObject, jsonSize } from '../../lib/json';
import { compileSchema } from '../../lib/json-schema';
import { type LlmInput, llmNode } from '../../nodes/ai/llm';

/** Large enough for images. */
const MAX_PROMPT_CHARS = 4 * 1024 * 1024;

/** Of a document that a model changes. */
const MAX_CHANGED_CHARS = 256 * 1024;

const FIELDS = Object.keys(llmNode.input.properties as object);

/** Lists language models, answers a prompt of the playground, and generates workflows. */
export const aiService = (app: App): ServiceSchema => {
  const models = new Models(app);
  const limiter = new RateLimiter();
  const run = <T>(tenantId: string, work: () => Promise<T>): Promise<T> => limiter.run(tenantId, app.clock.now(), work);

  return defineService(app, aiContract, {
    handlers: {
      models: (ctx) =>
        run(ctx.tenantId, async () => {
          const { limit, offset, ...request } = ctx.params;
          const rows = await models.withSecret(request, ctx, (resolved) => models.list(resolved, ctx.tenantId));
          return catalogueOf(rows, { limit, offset });
        }),
      playground: (ctx) =>
        run(ctx.tenantId, () =>
          models.withSecret(readPrompt(ctx.params), ctx, (input) => models.answer(input, ctx.tenantId)),
        ),
      // The service that asks bounds how often.
      ask: (ctx) => models.withSecret(readPrompt(ctx.params), ctx, (input) => models.answer(input, ctx.tenantId)),
      generate: (ctx) =>
        run(ctx.tenantId, async () => {
          const { dsl: before, ...params } = ctx.params;
          const { data: types } = await ctx.call('workflows.node_types', {});
          const reference = languageReference(languagePages(), types);
          const written = await models.withSecret(params, ctx, ({ prompt, ...request }) =>
            models.use(request, ctx.tenantId, (model) =>
              generateWorkflow(
                model,
                app.compute.lane(ctx.tenantId),
                { request: before === undefined ? prompt : changeOf(bounded(before), prompt), reference },
                (dsl) => ctx.call('workflows.validate', { dsl }),
              ),
            ),
          );
          if (before === undefined || !written.valid) return written;
          const compared = { before, after: written.dsl };
          return { ...written, diff: await ctx.call('workflows.compare', compared, { asServiceOf: ctx.tenantId }) };
        }),
    },
    stopped: () => models.close(),
  });
};

/** A document that a model can be given. @throws AppError payload_too_large */
function bounded(dsl: JsonObject): JsonObject {
  if (jsonSize(dsl, MAX_CHANGED_CHARS) <= MAX_CHANGED_CHARS) return dsl;
  throw new AppError('payload_too_large', `A model changes documents of at most ${MAX_CHANGED_CHARS} characters`);
}

/** The input of the step type `llm`; other fields are ignored. @throws AppError invalid_request, payload_too_large */
function readPrompt(given: Readonly<Record<string, unknown>>): LlmInput {
  const pairs = FIELDS.filter((field) => Object.hasOwn(given, field)).map((field) => [field, given[field]] as const);
  // Params come from JSON.
  const input = Object.fromEntries(pairs) as JsonObject;
  if (jsonSize(input) > MAX_PROMPT_CHARS) {
    throw new AppError('payload_too_large', `A prompt has at most ${MAX_PROMPT_CHARS} characters`);
  }
  if ((input.prompt === undefined) === (input.messages === undefined)) {
    throw new AppError('invalid_request', "Give either 'prompt' or 'messages'");
  }
  const schema = compileSchema(llmNode.input, 'ignore');
  const details = schema.kind === 'usable' ? schema.check(input) : schema.faults;
  if (details.length > 0) {
    const sentence = details.map(({ path, message }) => `'${path}' ${message}.`).join(' ');
    throw new AppError('invalid_request', sentence, { details: [...details] });
  }
  // Valid for the schema of LlmInput.
  return input;
}

export default (broker: ServiceBroker): ServiceSchema => aiService(appOf(broker));
