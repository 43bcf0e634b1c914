"""A sentence that says the opposite of its quote in the same words, told only where that is certain."""

import pytest

from workers.core.answers.negation import contradicts


@pytest.mark.parametrize(("quote", "sentence"), [
    ("The assembly approved the budget on 3 May 2019.", "The assembly did not approve the budget."),
    ("The assembly did not approve the budget.", "The assembly approved the budget."),
    ("The museum isn't open on Mondays.", "The museum is open on Mondays."),
    ("No boat was sold, and the hut stayed.", "The boat was sold."),
    ("Weber does not own the mill.", "Weber owns the mill."),
    ("Weber owns the mill.", "Weber does not own the mill."),
    ("The contract ends on 3 May.", "The contract does not end on 3 May."),
    ("The tenant does not pay 900 euros.", "The tenant pays 900 euros."),
    ("The tenant paid 900 euros.", "The tenant did not pay 900 euros."),
    ("Weber sold the mill in 1990.", "Weber didn’t sell the mill."),
    ("The rent rises in May.", "The rent does not rise in May."),
    ("The club did not buy the hut.", "The club bought the hut."),
    ("They do not own the mill by law.", "They own the mill by law."),
    ("Die Versammlung hat den Antrag angenommen.", "Die Versammlung hat den Antrag nicht angenommen."),
    ("Der Verein besitzt kein Boot.", "Der Verein besitzt ein Boot."),
    ("L'assemblée a adopté le budget en 2019.", "L'assemblée n'a pas adopté le budget."),
    ("La asamblea no aprobó el presupuesto.", "La asamblea aprobó el presupuesto."),
    ("L'assemblea ha approvato il bilancio.", "L'assemblea non ha approvato il bilancio."),
    ("A assembleia aprovou o orçamento.", "A assembleia não aprovou o orçamento."),
    ("De vergadering heeft de begroting goedgekeurd.", "De vergadering heeft de begroting niet goedgekeurd."),
    ("Zebranie nie przyjęło budżetu.", "Zebranie przyjęło budżet."),
    ("A klub eladta a hajót.", "A klub nem eladta a hajót."),
    ("Собрание утвердило бюджет в мае.", "Собрание не утвердило бюджет в мае."),
    ("Genel kurul bütçeyi onayladı.", "Genel kurul bütçeyi onaylamadı."),
    ("Събранието прие бюджета вчера.", "Събранието не прие бюджета вчера."),
    ("Foreningen ejer en båd i havnen.", "Foreningen ejer ikke en båd i havnen."),
    ("Föreningen äger en båt i hamnen.", "Föreningen äger inte en båt i hamnen."),
    ("Ο σύλλογος ενέκρινε τον προϋπολογισμό.", "Ο σύλλογος δεν ενέκρινε τον προϋπολογισμό."),
    ("Rapat itu menyetujui anggaran.", "Rapat itu tidak menyetujui anggaran."),
    ("Adunarea a aprobat bugetul.", "Adunarea nu a aprobat bugetul."),
    ("Збори схвалили бюджет.", "Збори не схвалили бюджет."),
    ("Hội nghị thông qua ngân sách.", "Hội nghị không thông qua ngân sách."),
    ("الجمعية وافقت على الميزانية", "الجمعية لم وافقت على الميزانية"),
    ("האסיפה אישרה את התקציב", "האסיפה לא אישרה את התקציב"),
    ("सभा ने बजट पारित किया।", "सभा ने बजट पारित नहीं किया।"),
    ("총회는 예산을 승인했다.", "총회는 예산을 승인하지 않았다."),
    ("大会通过了预算。", "大会没有通过预算。"),
    ("2019年大會未通過預算。", "2019年大會通過了預算。"),
    ("総会は予算を承認した。", "総会は予算を承認しなかった。"),
    ("ที่ประชุมอนุมัติงบประมาณ", "ที่ประชุมไม่อนุมัติงบประมาณ"),
    # What leaves a date out denies the same.
    ("L'assemblée a adopté le budget le 3 mai 2019.", "L'assemblée n'a pas adopté le budget."),
    ("La asamblea aprobó el presupuesto el 3 de mayo de 2019.", "La asamblea no aprobó el presupuesto."),
    ("Собрание утвердило бюджет 3 мая 2019 года.", "Собрание не утвердило бюджет."),
    ("Zebranie przyjęło budżet 3 maja 2019 roku.", "Zebranie nie przyjęło budżetu."),
    ("2019年5月3日、総会は予算を承認した。", "総会は予算を承認しなかった。"),
    ("2019年5月3日大会通过了预算。", "大会没有通过预算。"),
])  # fmt: skip
def test_the_opposite_of_a_quote_in_its_own_words_is_told_apart(quote, sentence):
    assert contradicts(sentence, [quote])


@pytest.mark.parametrize(("quote", "sentence"), [
    ("The club did not buy the boat but sold the hut.", "The club sold the hut."),
    ("The council refused to approve the budget.", "The council did not approve the budget."),
    ("The council did not approve the budget.", "The council refused to approve the budget."),
    ("The harvest of 2020 was a fifth less than in 2019.", "The harvest of 2020 was not as large."),
    ("It was not until 1990 that the museum opened.", "The museum opened in 1990."),
    ("The museum is open. The museum shop is not open.", "The museum is open."),
    ("Not only Ada but Mary landed.", "Ada landed."),
    ("The tenant paid 900 euros.", "The tenant does not pay 900 euros."),
    ("The lease ends in May.", "The lease has not ended."),
    ("The lease ends in May.", "The lease did not end."),
    ("Ben saw the mill. Weber does not own the mill.", "Ben owns the mill."),
    ("Weber does not own the mill, Anna owns the mill.", "Anna owns the mill."),
    ("The boat is no longer for sale.", "The boat was for sale."),
    ("The rejected motion failed.", "No, the motion failed."),
    ("Die Versammlung lehnte den Antrag ab.", "Nein, die Versammlung lehnte den Antrag ab."),
    ("Der Verein nahm den Antrag nicht an, er lehnte ihn ab.", "Der Verein lehnte den Antrag ab."),
    ("Le musée n'ouvre que le lundi.", "Le musée ouvre le lundi."),
    ("La mesa no aprobó nada. La asamblea aprobó el gasto.", "La asamblea aprobó el gasto."),
    ("Мост не только красив, но и прочен.", "Мост красив и прочен."),
    ("大会拒绝通过预算。", "大会没有通过预算。"),
    ("这种不锈钢很贵。", "这种锈钢很贵。"),
    ("大会不仅通过了预算。", "大会通过了预算。"),
    ("総会は予算だけでなく規約も承認した。", "総会は予算も規約も承認した。"),
    ("Ada did not sail, Mary did.", "Mary sailed."),
    ("The hall opened in May. The library did not open.", "The hall opened in May."),
])  # fmt: skip
def test_what_is_not_certain_is_no_contradiction(quote, sentence):
    assert not contradicts(sentence, [quote])
