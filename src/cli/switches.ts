/** The actions `disable` and `enable`, which companies, applications, versions and users share. */
import { line } from './answer.ts';
import { type Action, action, type Flags, type ValuesOf } from './command.ts';
import type { CommandContext } from './context.ts';

/**
 * @param of what is switched, worded to follow "every token of"
 * @param change makes the change and returns the name and the new state
 */
export function switches<const Declared extends Flags>(
  of: string,
  flags: Declared,
  change: (
    values: ValuesOf<Declared>,
    context: CommandContext,
    disabled: boolean,
  ) => Promise<{ readonly called: string; readonly now: unknown }>,
): Action[] {
  return [true, false].map((disabled) =>
    action({
      name: disabled ? 'disable' : 'enable',
      summary: disabled ? `Invalidates every token of ${of}, and refuses sign-in.` : 'Undoes disable.',
      flags,
      async run(values, context) {
        const { called, now } = await change(values, context, disabled);
        return line(`${called} is ${disabled ? 'disabled' : 'enabled'} now.`, now);
      },
    }),
  );
}
