/** Texts on people, in Japanese. */
import type { people as english } from '../en/people.ts';
import type { Translated } from '../en.ts';

export const people: Translated<typeof english> = {
  users: {
    title: 'ユーザー',
    what: 'この会社のアプリケーションにサインインできる人と、グループでのロールです。',
    add: 'ユーザーを追加',
    none: 'ユーザーがまだいません',
    noneAdvice: 'アプリケーションを使う人を追加するか、IDプロバイダーの全アカウントを受け入れる設定にします。',
    account: 'アカウント',
    email: 'メール',
    firstName: '名',
    lastName: '姓',
    memberships: 'グループでのロール',
    noMemberships: 'どのグループにもロールがありません。まだアプリケーションを使えません。',
    disable: '無効にする：5秒以内にサインインとトークンを拒否',
    remove: 'このユーザーを削除',
    removeWhat: (account) => `${account}はサインインできなくなります。所有するレコードは残ります。`,
    identities: 'IDプロバイダーでの識別',
    noIdentities: 'IDプロバイダーでのサインインはまだありません。',
    sessions: 'セッション',
    noSessions: '現在セッションはありません。',
    endSession: '終了',
    endAll: 'すべてのセッションを終了',
    ended: 'セッションを終了しました',
    addRole: 'グループのロールを追加',
    group: 'グループ',
    role: 'ロール',
  },
};
