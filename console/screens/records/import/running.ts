/** An import under way, or what came of it. */
import { Button, Note } from '../../../components/basics.ts';
import type { VNode } from '../../../h.ts';
import { h } from '../../../h.ts';
import { words } from '../../../preferences.ts';
import { saveFile } from '../export.ts';
import { type ImportJob, importing } from './job.ts';

export function Running({ job }: { readonly job: ImportJob }): VNode {
  const texts = words().records.import;
  const { state, written, before, rejected, total, problem } = job.progress.value;
  const done = written + before + rejected;
  const saveRejected = () => {
    const { name, parts } = job.rejectedFile();
    saveFile(name, parts);
  };
  const forget = () => {
    importing.value = null;
  };
  return h(
    'div',
    { class: 'form narrow' },
    state !== 'done' &&
      h(
        'div',
        { class: 'progress' },
        texts.progress(done, total),
        h('progress', { max: total, value: done, 'aria-label': texts.title(job.task.table) }),
      ),
    state === 'running' && h('p', { class: 'quiet' }, texts.leave),
    problem !== null && h(Note, { tone: 'wrong' }, problem),
    state === 'stopped' && h(Note, { tone: 'warning' }, texts.stopped),
    state !== 'running' && written > 0 && h(Note, { tone: 'good' }, texts.written(written)),
    before > 0 && h(Note, {}, texts.before(before)),
    rejected > 0 && state !== 'running' && h(Note, { tone: 'warning' }, texts.rejected(rejected)),
    h(
      'div',
      { class: 'buttons', role: 'group' },
      state === 'running' && h(Button, { onClick: () => job.stop() }, texts.stop),
      state === 'stopped' && h(Button, { kind: 'main', onClick: () => job.start() }, texts.goOn),
      state !== 'running' && rejected > 0 && h(Button, { onClick: saveRejected }, texts.saveRejected),
      state === 'done' && before > 0 && h(Button, { onClick: () => job.repeat() }, texts.repeat),
      state !== 'running' && h(Button, { onClick: forget }, texts.another),
    ),
  );
}
