import { MAX_PASSKEYS_PER_USER } from '../../../../contracts/auth/passkeys';
import { isDuplicateKey } from '../../../../lib/duplicate-key';
import { AppError } from '../../../../lib/errors';
import { ofTenant } from '../../../../lib/tenant';
import type { AuthModels, UserDoc } from '../../models';
import type { PasskeyFactor } from '../models';
import { hashedCodes, newRecoveryCodes } from '../recovery-codes';
import { lastFactor } from '../refusals';
import type { CredentialUse } from './task';

/** Passkeys in the records of users. Each change is one conditional write, so that two at once cannot break a rule. */
export class PasskeyStore {
  constructor(private readonly models: Pick<AuthModels, 'users'>) {}

  #users({ tenant_id }: Pick<UserDoc, 'tenant_id'>) {
    return ofTenant(this.models.users, tenant_id);
  }

  /** Adds a passkey; the answer has the recovery codes that come with a first factor. @throws AppError conflict */
  async add(user: UserDoc, passkey: PasskeyFactor): Promise<string[] | null> {
    const codes = (user.recovery_codes ?? []).length === 0 ? newRecoveryCodes() : null;
    const free = {
      [`passkeys.${MAX_PASSKEYS_PER_USER - 1}`]: { $exists: false },
      'passkeys.credential_id': { $ne: passkey.credential_id },
      ...(codes === null ? {} : { 'recovery_codes.0': { $exists: false } }),
    };
    const change = {
      $push: { passkeys: passkey },
      ...(codes === null ? {} : { $set: { recovery_codes: hashedCodes(user, codes) } }),
    };
    try {
      if ((await this.#users(user).update({ _id: user._id, ...free }, change)) !== null) return codes;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    throw new AppError(
      'conflict',
      'This passkey is known already, or the second factors of the account were changed meanwhile; look at them and begin again',
    );
  }

  /** @throws AppError conflict */
  assertRoom({ passkeys = [] }: UserDoc): void {
    if (passkeys.length < MAX_PASSKEYS_PER_USER) return;
    throw new AppError('conflict', `An account has at most ${MAX_PASSKEYS_PER_USER} passkeys; remove one first`);
  }

  /** @throws AppError not_found */
  find({ passkeys = [] }: UserDoc, id: string): PasskeyFactor {
    const found = passkeys.find((each) => each.id === id);
    if (found === undefined) throw noSuchPasskey();
    return found;
  }

  /** @throws AppError not_found */
  async rename(user: UserDoc, id: string, name: string): Promise<PasskeyFactor> {
    const its = { _id: user._id, 'passkeys.id': id };
    const renamed = await this.#users(user).update(its, { $set: { 'passkeys.$.name': name } });
    if (renamed === null) throw noSuchPasskey();
    return this.find(renamed, id);
  }

  /**
   * Removes a passkey. With the last factor the recovery codes go as well; only an account that `mayLack` a factor
   * loses it. @throws AppError not_found, conflict
   */
  async remove(user: UserDoc, id: string, mayLack: boolean): Promise<void> {
    const users = this.#users(user);
    const its = { _id: user._id, 'passkeys.id': id };
    const drop = { $pull: { passkeys: { id } } };
    const hasOther = { $or: [{ totp: { $ne: null } }, { 'passkeys.1': { $exists: true } }] };
    if ((await users.update({ ...its, ...hasOther }, drop)) !== null) return;
    if (!mayLack) throw lastFactor();
    const isLast = { totp: null, 'passkeys.1': { $exists: false } };
    const removed = await users.update({ ...its, ...isLast }, { ...drop, $unset: { recovery_codes: 1 } });
    if (removed === null) throw noSuchPasskey();
  }

  /**
   * Keeps what the use of a passkey has changed, if it is as it was when it was checked: of two uses with the same
   * counter one succeeds, and none of a passkey that was removed.
   */
  async keepUse(user: UserDoc, { id, credential_id, counter }: PasskeyFactor, use: CredentialUse, now: number) {
    const changed = await this.#users(user).update(
      { _id: user._id, passkeys: { $elemMatch: { id, credential_id, counter } } },
      {
        $set: {
          'passkeys.$.counter': use.counter,
          'passkeys.$.backed_up': use.backed_up,
          'passkeys.$.last_used_at': new Date(now),
        },
      },
    );
    return changed !== null;
  }

  /** The user of a credential, in any tenant. */
  ownerOf(credentialId: string): Promise<UserDoc | null> {
    return this.models.users.findOne({ 'passkeys.credential_id': credentialId }).lean().exec();
  }
}

const noSuchPasskey = (): AppError => new AppError('not_found', 'This account has no such passkey');
