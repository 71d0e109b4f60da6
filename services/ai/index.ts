import type { ServiceSchema } from 'moleculer';
import { defineService } from '../../mixins/service';
import type { App } from '../app';
import { languagePages } from './docs';
import { generateWorkflow } from './generate';
import { Models } from './models';
import * as params from './params';
import { readPrompt } from './prompt';
import { languageReference } from './reference';
import { Turnstile } from './turnstile';

/** Language models as people use them by hand: to see which there are, to try a prompt, to have a workflow written. */
export const aiService = (app: App): ServiceSchema => {
  const models = new Models(app);
  const turnstile = new Turnstile();
  const pass = <T>(tenantId: string, work: () => Promise<T>): Promise<T> =>
    turnstile.pass(tenantId, app.clock.now(), work);

  return defineService(app, 'ai', {
    actions: {
      models: {
        access: 'member',
        summary: 'Models that a provider offers',
        params: params.modelParams,
        handle: (ctx) =>
          pass(ctx.tenantId, async () => {
            return { data: await models.list(await models.resolved(ctx.params, ctx)) };
          }),
      },
      playground: {
        access: 'member',
        summary: 'One prompt, without a workflow',
        params: params.playgroundParams,
        handle: (ctx) =>
          pass(ctx.tenantId, async () => models.answer(await models.resolved(readPrompt(ctx.params), ctx))),
      },
      generate: {
        access: 'member',
        summary: 'Has a workflow written from a description',
        params: params.generateParams,
        handle: (ctx) =>
          pass(ctx.tenantId, async () => {
            const { prompt: wish, ...asked } = await models.resolved(ctx.params, ctx);
            const { data: types } = await ctx.call('workflows.node_types', {});
            const reference = languageReference(languagePages(), types);
            return models.lend(asked, (model) =>
              generateWorkflow(model, { wish, reference }, (dsl) => ctx.call('workflows.validate', { dsl })),
            );
          }),
      },
    },
    stopped: () => models.close(),
  });
};
