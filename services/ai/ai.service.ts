import { aiContract } from '../../contracts/ai';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { languagePages } from './docs';
import { generateWorkflow } from './generate';
import { Models } from './models';
import { readPrompt } from './prompt';
import { languageReference } from './reference';
import { RateLimiter } from './rate-limiter';
import { catalogueOf } from '../../lib/page';

/** Language models as people use them by hand: to see which there are, to try a prompt, to have a workflow written. */
export const aiService = (app: App): ServiceSchema => {
  const models = new Models(app);
  const limiter = new RateLimiter();
  const run = <T>(tenantId: string, work: () => Promise<T>): Promise<T> => limiter.run(tenantId, app.clock.now(), work);

  return defineService(app, aiContract, {
    handlers: {
      models: (ctx) =>
        run(ctx.tenantId, async () => {
          const { limit, offset, ...asked } = ctx.params;
          const listed = await models.with(asked, ctx, (resolved) => models.list(resolved, ctx.tenantId));
          return catalogueOf(listed, { limit, offset });
        }),
      playground: (ctx) =>
        run(ctx.tenantId, () =>
          models.with(readPrompt(ctx.params), ctx, (asked) => models.answer(asked, ctx.tenantId)),
        ),
      generate: (ctx) =>
        run(ctx.tenantId, async () => {
          const { data: types } = await ctx.call('workflows.node_types', {});
          const reference = languageReference(languagePages(), types);
          return models.with(ctx.params, ctx, ({ prompt, ...asked }) =>
            models.lend(asked, ctx.tenantId, (model) =>
              generateWorkflow(model, app.compute.lane(ctx.tenantId), { request: prompt, reference }, (dsl) =>
                ctx.call('workflows.validate', { dsl }),
              ),
            ),
          );
        }),
    },
    stopped: () => models.close(),
  });
};

export default (broker: ServiceBroker): ServiceSchema => aiService(appOf(broker));
