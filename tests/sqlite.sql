-- What sqlite3 is to do where its functions are counted or timed; 300 rows.
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
	insert into t select i, 'x' || (i * 7919 % 300), i * 1.5 from n;
create index ti on t(b);
select count(*), sum(c), max(b) from t where b like 'x1%';
select a, b from t order by c desc limit 5;
update t set b = upper(b) where a % 3 = 0;
delete from t where a % 7 = 0;
select count(*) from t join t u on t.a = u.a + 1;
