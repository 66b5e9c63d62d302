/** Texts of the home screen, in Japanese. */
import type { home as english } from '../en/home.ts';
import type { Translated } from '../en.ts';

export const home: Translated<typeof english> = {
  home: {
    title: 'ホーム',
    what: '新しい会社と、サービスの稼働状況です。',
    whatCompany: 'ユーザーがレコードを扱えるようになるまでの手順です。済んだ手順には印が付きます。',
    newest: '新しい会社',
    find: 'ほかの会社は上のバーで選びます。',
    firstSteps: '最初の手順',
    allDone: '設定はすべて済みました',
    done: '済み',
    open: '未了',
    health: '直近1時間の稼働状況',
    steps: {
      application: {
        title: 'アプリケーションを追加',
        advice: 'クライアントがリクエストごとに指定します。テーブルとサインイン設定はこれに属します。',
        action: 'アプリケーションを追加',
      },
      provider: {
        title: 'ユーザーのサインインを設定',
        advice: 'IDプロバイダーとクライアントを追加するか、パスワードでのサインインを許可します。',
        action: 'プロバイダーを追加',
      },
      table: {
        title: '最初のテーブルを定義',
        advice: 'テーブルはアプリケーションのバージョンごとにあります。',
        action: 'テーブルを定義',
      },
      signIn: {
        title: '最初のサインイン',
        advice: 'ユーザーを追加し、クライアントからそのユーザーでサインインします。リクエストはガイドにあります。',
        action: 'ガイドを読む',
      },
      record: {
        title: '最初のレコード',
        advice: 'クライアントが書き込むか、ここで追加します。',
        action: 'レコードを追加',
      },
    },
  },
};
