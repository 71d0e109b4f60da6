import { contract } from '../contract';
import { requestsActions } from './requests';
import { deliveryActions } from './deliveries';
import { idempotencyActions } from './idempotency';
import { chatActions } from './chat';

export const channelsContract = contract('channels', {
  ...requestsActions,
  ...deliveryActions,
  ...idempotencyActions,
  ...chatActions,
});
